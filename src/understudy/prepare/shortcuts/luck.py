"""Luck: what the best of many rules scores on shuffled answers, and how good a shortcut must be to stand out from it."""

from typing import NamedTuple

import numpy as np

from understudy.analyses.kernels.binomial import binomial_tails
from understudy.prepare.shortcuts.rules import Floats

POWER = 0.8
"""How often a shortcut that is called visible would be noticed."""
_STEP = 0.001


class Luck(NamedTuple):
    """How right the best rule is by luck."""

    at_most: float
    """On all but the luckiest shuffles, the best rule is right on this share of the items or less."""
    share: float
    """On how many of the shuffles it is."""


def luck_of(best_by_luck: Floats, alpha: float) -> Luck:
    """Return the accuracy that the best rule exceeds by luck in no more than a share alpha of the shuffles."""
    # Accuracies are shares of a few items, so the quantile is one of them, and an equal one is still luck.
    return Luck(float(np.quantile(best_by_luck, 1 - alpha, method="inverted_cdf")), 1 - alpha)


def smallest_visible(best_by_luck: Floats, n_items: int, alpha: float) -> float | None:
    """Return the smallest accuracy that a rule needs in order to be noticed, four times in five, on so many items.

    Noticed means that the best rule on shuffled answers does as well in less than a share alpha of the shuffles. None
    where not even a rule without a mistake would be noticed, because luck alone does as well.
    """
    counts = np.arange(n_items + 1)
    as_good = np.array(
        [(1 + (best_by_luck >= count / n_items - 1e-9).sum()) / (1 + best_by_luck.size) for count in counts]
    )
    noticed = counts[as_good < alpha]
    if not noticed.size:
        return None
    shares = np.arange(0.0, 1.0 + _STEP / 2, _STEP)
    return float(shares[np.argmax(binomial_tails(int(noticed[0]), n_items, shares) >= POWER)])
