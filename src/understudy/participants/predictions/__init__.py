"""Simulated people who judge predictions about photos by the explanations on the page."""
