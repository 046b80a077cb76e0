"""The report page: one HTML file that says how far to trust the labels, and shows why."""

from lovasz.report.page import Method, Page
from lovasz.report.render import render

__all__ = ["Method", "Page", "render"]
