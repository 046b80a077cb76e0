"""The notebooks of the gallery, run, so that they can be read without running them.

Sphinx-Gallery writes a notebook for each script and only when the script has changed. A notebook
without outputs is therefore one that has not been run yet.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sphinx.util import logging

logger = logging.getLogger(__name__)
KERNEL = {
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "PYTHONWARNINGS": "ignore",
}
"""Environment of the notebooks: figures become outputs, and no warning names this machine."""
SECONDS = 300
"""Time limit of one cell."""


def run_notebooks(app: Any) -> None:
    """Run every notebook of the gallery that has no outputs."""
    folder = Path(app.srcdir) / app.config.sphinx_gallery_conf["gallery_dirs"]
    for path in sorted(folder.glob("*.ipynb")):
        if "pyg_sampling" not in path.name and not has_outputs(path):
            logger.info("running %s", path.name)
            run_notebook(path)


def has_outputs(path: Path) -> bool:
    """Whether a notebook has been run."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return any(cell.get("outputs") for cell in cells)


def run_notebook(path: Path) -> None:
    """Run a notebook in place."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validator.normalize(notebook)
    client = NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", extra_arguments=["--log-level=ERROR"]
    )
    client.execute(cwd=str(path.parent), env=os.environ | KERNEL)
    nbformat.write(notebook, path)


def setup(app: Any) -> dict[str, Any]:
    """Run the notebooks after Sphinx-Gallery has written them (its priority is 500)."""
    app.connect("builder-inited", run_notebooks, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
