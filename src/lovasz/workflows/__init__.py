"""Whole jobs from a graph and labels to a folder of results."""
