"""Explainers of a whole model, which form a separate catalogue."""
