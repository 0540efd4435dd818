"""Measures of how people turn the dials of a live model."""
