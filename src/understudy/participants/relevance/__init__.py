"""Simulated people who judge from a grid of pictures which attributes a model relies on."""
