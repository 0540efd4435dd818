"""Alerts: what is worth one, who gets it, and where it goes."""
