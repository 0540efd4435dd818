"""Simulated people who turn the dials of a live model."""
