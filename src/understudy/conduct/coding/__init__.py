"""Coding: what annotators read, in which order, what they said, and how far they agree."""
