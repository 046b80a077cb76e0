"""Everything that becomes HTML, with the templates beside the code.

Results are written down with the tables of :mod:`.reproduction.section`, so only modules that draw
need matplotlib.
"""

from lovasz.base.extras import require

require("jinja2", what="a page")
