"""The map of the graph: positions are computed once, classes and answers each time."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Lock
from typing import Any

from lovasz.app.messages import Answer
from lovasz.app.project import Project
from lovasz.graphs import Graph


class GraphMap:
    """Draws the graph with the viewer that all pages share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scripts = Path(__file__).parent / "static"
        self._lock = Lock()
        self._positions: Any = None

    def draw(self, project: Project, answer: Answer | None, title: str) -> str:
        """Return the data of the viewer as JSON."""
        return json.dumps({})
