"""Builders: studies of common designs, in which people learn from examples and then predict a model."""
