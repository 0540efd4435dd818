"""How good a shortcut must be to stand out from luck, checked by simulation."""

import numpy as np

from understudy.check.shortcuts import POWER, BestRule, Luck, Shortcut, luck_of, power_sentence, smallest_visible

N_ITEMS = 32
LUCK = np.random.default_rng(1).binomial(N_ITEMS, 0.5, size=(14, 999)).max(axis=0) / N_ITEMS


def test_luck_exceeds_its_limit_as_rarely_as_stated() -> None:
    others = np.random.default_rng(2).binomial(N_ITEMS, 0.5, size=(14, 20_000)).max(axis=0) / N_ITEMS
    assert (others > luck_of(LUCK, 0.05).at_most).mean() < 0.06


def test_the_smallest_visible_shortcut_is_noticed_four_times_in_five() -> None:
    visible = smallest_visible(LUCK, N_ITEMS, 0.05)
    assert visible is not None
    found = np.random.default_rng(3).binomial(N_ITEMS, visible, size=20_000) / N_ITEMS
    as_good = (1 + (LUCK[:, None] >= found - 1e-9).sum(axis=0)) / (1 + LUCK.size)
    assert abs((as_good < 0.05).mean() - POWER) < 0.02


def test_with_very_few_items_nothing_can_be_seen_and_that_is_said() -> None:
    always_right = np.ones(999)
    assert smallest_visible(always_right, 8, 0.05) is None
    found = Shortcut(("predict",), "guess", "always answer 'a'", 0.5, 0.2, 0.8, 0.5, 8, 0.6, 0.6)
    best = BestRule(found, Luck(1.0, 0.95), 3, None, is_constant=False)
    assert power_sentence(best) == (
        "With 8 items, no shortcut could be distinguished from luck, not even one that is always right. Use more items."
    )
