"""Simulated people who predict the answers of a classifier."""
