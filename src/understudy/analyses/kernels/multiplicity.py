"""Adjustments of p-values for a family of tests."""

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.vectors import Floats


def bonferroni(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Multiply each p-value by the size of the family, at most 1.

    Parameters
    ----------
    family_size
        Number of planned tests, if more than the p-values given.

    Examples
    --------
    >>> bonferroni([0.01, 0.02, 0.4])
    array([0.03, 0.06, 1.  ])
    """
    p, m = _family(p_values, family_size)
    return np.minimum(p * m, 1.0)


def holm(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Adjust step by step from the smallest p-value (Holm 1979), with results in the original order.

    Examples
    --------
    >>> holm([0.02, 0.01, 0.4])
    array([0.04, 0.03, 0.4 ])
    """
    p, m = _family(p_values, family_size)
    order = np.argsort(p, kind="stable")
    # The running maximum keeps adjusted p-values in the order of the raw ones.
    steps = np.minimum(np.maximum.accumulate(p[order] * (m - np.arange(p.size))), 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike, *, family_size: int | None = None) -> Floats:
    """Adjust for the false discovery rate (Benjamini & Hochberg 1995), with results in the original order.

    Examples
    --------
    >>> benjamini_hochberg([0.02, 0.01, 0.4])
    array([0.03, 0.03, 0.4 ])
    """
    p, m = _family(p_values, family_size)
    order = np.argsort(p, kind="stable")[::-1]
    # The running minimum from the largest p-value down keeps adjusted p-values in the order of the raw ones.
    steps = np.minimum(np.minimum.accumulate(p[order] * m / np.arange(p.size, 0, -1)), 1.0)
    adjusted = np.empty_like(p)
    adjusted[order] = steps
    return adjusted


def _family(p_values: npt.ArrayLike, family_size: int | None) -> tuple[Floats, int]:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values must be a flat list of numbers between 0 and 1, none missing.")
    m = p.size if family_size is None else family_size
    if m < p.size:
        raise ValueError(f"family_size is {m} for {p.size} p-values; it cannot be smaller.")
    return p, m
