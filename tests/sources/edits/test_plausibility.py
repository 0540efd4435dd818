"""Plausibility: common values and words beside rare ones."""

import numpy as np

from understudy.roles import Floats, Variables
from understudy.sources.edits import CodeOdds, WordOdds
from understudy.sources.reviews import review_cases, vocabulary


def sentence(text: str) -> Floats:
    return np.array([float(vocabulary().words.index(word)) for word in text.split()])


def test_common_values_are_more_plausible_than_rare_ones() -> None:
    legend = Variables(("a", "b"), (("x", "y", "z"), ("x", "y", "z")))
    rows = np.array([[0, 0]] * 50 + [[1, 1]] * 50 + [[2, 2]] * 2, dtype=float)
    odds = CodeOdds.from_rows(rows, legend)
    common, rare, twice = odds.plausibility(
        np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    )
    assert (common, twice) == (1.0, 1.0)
    assert rare < 0.05


def test_words_that_follow_each_other_are_more_plausible_than_others() -> None:
    cases = review_cases()
    odds = WordOdds.from_rows(cases.train.inputs, len(vocabulary().words))
    original = sentence("the plot is dull .")
    fitting, odd = sentence("the plot is warm ."), sentence("the plot is until .")
    shares = odds.plausibility(np.stack([original, original]), np.stack([fitting, odd]))
    assert shares[0] > 0.5 > 0.1 > shares[1]
