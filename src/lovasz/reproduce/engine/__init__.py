"""Measuring the cells of an experiment and keeping them."""
