"""Exact answers to compare with: Bayes-optimal labels, bounds, matchings, small graphs."""
