"""Notebooks: explanations and whole studies as widgets, shown by the same pages as to participants."""
