"""The layer below all others: errors, files, memory, progress, devices, checks, rounding, text,
display in notebooks, data frames."""
