"""Simulated people who predict what a classifier says about a case."""
