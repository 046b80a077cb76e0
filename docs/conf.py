"""How Sphinx builds the site: ``make site`` writes it to ``docs/_build/html``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pygments.lexers.shell import BashLexer
from sphinx.highlighting import lexers

import lovasz

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("OMP_NUM_THREADS", "1")

project = "lovasz"
author = "The lovasz developers"
copyright = "The lovasz developers. Licence: Apache-2.0"
version = release = lovasz.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "benchmark_tables",
    "command_pages",
    "mathml",
    "notebook_outputs",
    "repository_links",
]
exclude_patterns = ["_build", "scripts", "_ext", "gallery/*.ipynb", "gallery/*.py"]
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold functions
nitpicky = False

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_use_type_comments = False
autoclass_content = "class"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False

html_theme = "furo"
html_title = f"lovasz {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
lexers["console"] = BashLexer()  # our commands have no prompt
pygments_style = "tango"
pygments_dark_style = "monokai"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"[\\/](?!pyg_sampling)\w+\.py$",  # that one needs pyg-lib
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": ("__repr__",),
    "matplotlib_animations": False,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "reset_modules": (),
    "copyfile_regex": r".*\.(csv|col|g6)",
    "write_computation_times": False,
}
