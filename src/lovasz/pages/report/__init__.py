"""The report page: one HTML file that says how far to trust the predicted labels, and why."""

from lovasz.pages.report.document import render_report
from lovasz.pages.report.report import Method, NextLabel, Report, SuspiciousLabel

__all__ = ["Method", "NextLabel", "Report", "SuspiciousLabel", "render_report"]
