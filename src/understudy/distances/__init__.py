"""Distances: how alike two outputs are, computed alike in the browser and here."""

from understudy.distances import bands, overlaps, structure

__all__ = ["bands", "overlaps", "structure"]
