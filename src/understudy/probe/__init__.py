"""Concept tests."""
