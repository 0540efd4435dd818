"""Rehearsals in a real browser."""
