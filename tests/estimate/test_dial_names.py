"""Agreement between people about what dials do, against cases worked out by hand."""

import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from understudy.estimate import dial_names
from understudy.estimate.dial_names import final_names, word_overlap, words_of
from understudy.schema import DialNames


def described(*people: Sequence[str | None]) -> list[DialNames]:
    rows = [{"session": f"s{k}", "names": json.dumps(list(labels)), "model": "ae"} for k, labels in enumerate(people)]
    return list(dial_names(pd.DataFrame(rows), "names", ("model",), np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Thickness of the line", "line thickness!", 1.0),
        ("loops", "loop", 1.0),
        ("slant to the left", "slant", 0.5),
        ("size", "slant", 0.0),
        ("the", "The", 1.0),
        ("Größe", "größe", 1.0),
    ],
)
def test_names_are_compared_by_their_words(one: str, other: str, expected: float) -> None:
    assert word_overlap(words_of(one), words_of(other)) == expected


def test_agreement_is_the_mean_over_pairs_of_people() -> None:
    (dial,) = described(["slant"], ["Slant"], ["size"])
    assert (dial.n_same, dial.n_pairs) == (1, 3)
    assert dial.agreement == pytest.approx(1 / 3)


def test_common_names_come_as_people_wrote_them() -> None:
    (dial,) = described(["left or right"], ["left or right"], ["Right, left"])
    assert dial.common == (("left or right", 3),)


def test_who_named_nothing_counts_among_those_who_met_the_dial() -> None:
    (dial,) = described(["slant"], [None], [""])
    assert (dial.n_people, dial.n_named, dial.agreement) == (3, 1, None)


def test_names_that_fit_every_dial_agree_no_more_than_with_other_dials() -> None:
    first, _ = described(["shape", "shape"], ["shape", "shape"])
    assert first.agreement == first.elsewhere == 1.0


def test_names_of_other_dials_are_compared_between_people_only() -> None:
    first, _ = described(["slant", "size"], ["size", "loop"])
    assert first.elsewhere == pytest.approx(0.5)


def test_perfect_agreement_has_no_spread_and_a_divided_house_has() -> None:
    (same,) = described(*[["slant"]] * 6)
    (split,) = described(*[["slant"]] * 3, *[["size"]] * 3)
    assert same.interval is not None
    assert split.interval is not None
    assert (same.interval.low, same.interval.high) == (1.0, 1.0)
    assert (split.interval.low or 0.0) < (split.agreement or 0.0) < (split.interval.high or 0.0)


def test_few_people_have_no_interval() -> None:
    (dial,) = described(["slant"], ["slant"], ["size"])
    assert dial.interval is None


def test_a_reloaded_page_takes_no_name_away_and_a_person_does() -> None:
    given = [("s", '["slant", "size"]'), ("s", '[null, ""]')]
    assert final_names(given) == {"s": ["slant", ""]}


def test_intervals_hold_the_agreement_of_the_crowd_that_people_come_from() -> None:
    rng = np.random.default_rng(3)
    # Two people agree with probability .5 ** 2 + .3 ** 2 + .2 ** 2.
    hits = 0
    for _ in range(200):
        people = [[str(word)] for word in rng.choice(["a1", "b2", "c3"], size=15, p=[0.5, 0.3, 0.2])]
        (dial,) = described(*people)
        assert dial.interval is not None
        hits += (dial.interval.low or 0.0) <= 0.38 <= (dial.interval.high or 1.0)
    assert 0.85 <= hits / 200 <= 0.99
