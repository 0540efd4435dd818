"""What people are told about how they did."""

import numpy as np
import pytest

from understudy.roles import AnsweredTrial
from understudy.schema import ResultGroup, ShownResult
from understudy.tasks.results import MedianSplit, ShareCorrect, results_by

SPLIT = MedianSplit(block="main", question="belief")
SHARE = ShareCorrect(block="main", question="species", chance=0.25)


def rated(rating: int, model_is: str, block: str = "main") -> AnsweredTrial:
    return AnsweredTrial(block, {"belief": rating}, {}, {"model_is": model_is})


def chosen(species: str, right: str) -> AnsweredTrial:
    return AnsweredTrial("main", {"species": species, "output": "2"}, {"species": right, "output": "1"}, {})


def split(trials: list[AnsweredTrial], seed: int = 1) -> ShownResult:
    (result,) = results_by([SPLIT], trials, np.random.default_rng(seed))
    return result


def test_the_higher_half_of_the_ratings_counts_as_called_right() -> None:
    result = split([rated(4, "right"), rated(3, "right"), rated(2, "wrong"), rated(1, "wrong")])
    assert result.n_right == 4
    assert result.groups == (
        ResultGroup(kind="right", n=2, n_recognised=2, ratings=(4, 3)),
        ResultGroup(kind="wrong", n=2, n_recognised=2, ratings=(2, 1)),
    )


def test_beliefs_that_are_all_too_high_are_still_split_at_the_middle() -> None:
    result = split([rated(4, "right"), rated(4, "right"), rated(3, "wrong"), rated(3, "wrong")])
    assert result.n_right == 4


def test_ties_are_filled_at_random_and_the_same_way_for_the_same_seed() -> None:
    tied = [rated(3, "right"), rated(3, "wrong"), rated(3, "right"), rated(3, "wrong")]
    assert {split(tied, seed).n_right for seed in range(30)} == {0, 2, 4}
    assert all(split(tied, seed) == split(tied, seed) for seed in range(30))


def test_a_tie_never_displaces_a_higher_rating() -> None:
    trials = [rated(4, "right"), *[rated(2, "wrong")] * 2, rated(2, "right")]
    assert all(split(trials, seed).groups[0].n_recognised >= 1 for seed in range(30))


def test_the_share_counts_one_question_or_all_with_a_key() -> None:
    trials = [chosen("1", right="1"), chosen("3", right="1")]
    one, every = results_by([SHARE, ShareCorrect(block="main")], trials, np.random.default_rng(1))
    assert (one.n, one.n_right, one.chance) == (2, 1, 0.25)
    assert (every.n, every.n_right, every.chance) == (2, 0, None)


@pytest.mark.parametrize("rule", [SPLIT, SHARE])
def test_a_part_that_was_not_taken_has_no_result(rule: MedianSplit | ShareCorrect) -> None:
    assert results_by([rule], [rated(4, "right", block="practice")], np.random.default_rng(1)) == ()


def test_a_rule_tells_the_same_on_every_page_that_repeats_it() -> None:
    tied = [rated(3, "right"), rated(3, "wrong")] * 5
    both = results_by([SHARE, SPLIT], tied, np.random.default_rng(4))
    assert results_by([SPLIT], tied, np.random.default_rng(4)) == both
