"""Explanations of what a model saw in a picture."""
