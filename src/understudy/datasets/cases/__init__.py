"""Cases that classifiers decide: rows of values and sentences."""
