"""Turns the Markdown of the repository into the documentation site (`make docs`)."""
