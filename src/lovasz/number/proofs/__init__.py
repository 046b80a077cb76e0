"""Bounds on ϑ that are proven, from anything a solver returns."""
