"""tabulate."""
