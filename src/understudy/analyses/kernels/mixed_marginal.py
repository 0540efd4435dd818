"""What a logistic or ordinal mixed model says of people and items in general: shares, averaged over its random effects.

The coefficients of such a model are about one person and one item. The more people and items differ, the nearer to a half
is the share over all of them (Zeger, Liang & Albert 1988): it is what answers show, and what a claim about a share names.
"""

from collections.abc import Callable, Sequence

import numpy as np

from understudy.analyses.kernels.mixed_terms import Term
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import optimize, special

_Z = np.linspace(-8.5, 8.5, 341)
"""A sum over even steps is exact to rounding for smooth functions; its error shows from SDs of about 25 on."""
_DENSITY = np.exp(-(_Z**2) / 2) / np.exp(-(_Z**2) / 2).sum()
_AT_ONCE = 4096
"""Rows whose sums are held in memory together."""


def row_variances(terms: Sequence[Term], covariances: Sequence[Floats]) -> Floats:
    """Return the variance that random effects add to each row's predictor."""
    parts = [
        np.einsum("ia,ab,ib->i", term.columns, covariance, term.columns)
        for term, covariance in zip(terms, covariances, strict=True)
    ]
    total: Floats = np.sum(parts, axis=0)
    return total


def marginal_shares(predictor: Floats, variances: Floats) -> Floats:
    """Return the share of yes in each row over all people and items, from its log-odds for average ones.

    >>> marginal_shares(np.array([0.0, 2.0, 2.0]), np.array([9.0, 0.0, 9.0])).round(3)
    array([0.5  , 0.881, 0.717])
    """
    pairs, rows = np.unique(np.column_stack([predictor, variances]), axis=0, return_inverse=True)
    shares = np.empty(len(pairs))
    for start in range(0, len(pairs), _AT_ONCE):
        mean, variance = pairs[start : start + _AT_ONCE].T
        shares[start : start + _AT_ONCE] = special.expit(mean[:, None] + np.sqrt(variance)[:, None] * _Z) @ _DENSITY
    by_row: Floats = shares[rows.ravel()]
    return by_row


def shift_to(share: float, shares_at: Callable[[float], float]) -> float:
    """Return the shift of log-odds at which a share that rises with it has a value."""
    reach = 1.0
    while not shares_at(-reach) < share < shares_at(reach):
        reach *= 2
    found: float = optimize.brentq(lambda shift: shares_at(shift) - share, -reach, reach, xtol=1e-12)
    return found
