"""Concepts: extra information about an object that may help a model, or harm it."""
