"""What every other layer stands on: errors, files, memory, progress, devices, checks, rounding."""
