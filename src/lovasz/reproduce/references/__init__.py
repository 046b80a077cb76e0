"""What experiments are held against: exact bounds, Bayes-optimal labels, small graphs."""
