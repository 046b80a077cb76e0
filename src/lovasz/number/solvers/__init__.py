"""Solvers of one core, one file each, with the contract of :mod:`.contract`."""
