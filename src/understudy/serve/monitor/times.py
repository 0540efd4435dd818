"""Times in cells, eight to a doubling, so that a median is known to about 5 % without keeping every time."""

from collections.abc import Mapping
from math import log2

CELLS = 128
"""Cells of one page; the last holds everything from an hour on."""
_PER_OCTAVE = 8
_SHORTEST_MS = 50.0
_FEWEST = 5
"""Answers before a median is told."""


def cell_of(rt_ms: float) -> int:
    """Return the cell of a time."""
    if rt_ms <= _SHORTEST_MS:
        return 0
    return min(CELLS - 1, int(_PER_OCTAVE * log2(rt_ms / _SHORTEST_MS)))


def median_s(cells: Mapping[int, int]) -> float | None:
    """Return the median of the times in some cells, in seconds; None with few of them."""
    n = sum(cells.values())
    if n < _FEWEST:
        return None
    passed = 0
    for cell in sorted(cells):
        passed += cells[cell]
        if 2 * passed >= n:
            return float(_SHORTEST_MS * 2 ** ((cell + 0.5) / _PER_OCTAVE) / 1000)
    return None
