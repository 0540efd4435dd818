"""Simulated studies that show how often analyses are wrong; `docs/mixed_coverage.py` runs them."""
