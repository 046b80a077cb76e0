"""Training on graphs that are too large for the memory or the time of one process."""
