"""Measure the cells of the items, save them, and write the page."""
