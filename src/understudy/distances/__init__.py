"""Distances: how similar two outputs are, computed as in the browser."""

from understudy.distances import bands, overlaps, structure

__all__ = ["bands", "overlaps", "structure"]
