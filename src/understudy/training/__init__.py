"""Training: everything that needs torch."""
