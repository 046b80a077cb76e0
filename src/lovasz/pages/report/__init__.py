"""The report page: one HTML file that says how far to trust the labels, and shows why."""

from lovasz.pages.report.contents import Method, Page
from lovasz.pages.report.render import render

__all__ = ["Method", "Page", "render"]
