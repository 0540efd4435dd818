"""Held-out codes as a card keeps them: ranges of dials, percentiles, and a rounded sample."""

import numpy as np

from understudy.sources.arrays import Floats

PERCENTILES = (0, 1, 2, 5, 25, 33, 45, 48, 50, 52, 55, 67, 75, 95, 98, 99, 100)
N_CODES = 250
"""Held-out codes that travel with a decoder, from which starts and targets are drawn."""
DIGITS = 4
"""Decimals of ranges and codes: finer than any slider moves."""


def ranges_from_codes(codes: Floats) -> Floats:
    """Return lowest and highest value of each dimension, rounded outwards."""
    unit = 10**DIGITS
    lows = np.floor(codes.min(axis=0) * unit) / unit
    highs = np.ceil(codes.max(axis=0) * unit) / unit
    return np.column_stack([lows, highs])


def percentiles_from_codes(codes: Floats) -> dict[str, tuple[float, ...]]:
    """Return the value of each input at each listed percentile."""
    return {str(level): tuple(rounded(np.percentile(codes, level, axis=0)[None])[0]) for level in PERCENTILES}


def rounded(rows: Floats) -> list[list[float]]:
    """Return rows as plain numbers of few decimals."""
    # Adding 0.0 turns the -0.0 that rounding leaves into 0.0.
    return [[float(value) for value in row] for row in np.round(rows, DIGITS) + 0.0]
