"""Recruiting: the study at its platform, and decisions about submissions."""
