"""Scores of heat maps without people, and what they have to do with people's answers."""
