"""Training beyond one memory: features in files, and rows shared by many processes."""
