"""Everything that becomes HTML, with the templates beside the code."""

from lovasz.base.extras import require

require("jinja2", "matplotlib", what="a page")
