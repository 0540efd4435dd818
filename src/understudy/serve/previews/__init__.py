"""Previews: every page of a study, with nothing stored."""
