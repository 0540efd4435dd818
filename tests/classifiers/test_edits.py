"""Edited versions of cases: how many edits, of what, and how plausible."""

import numpy as np
import pytest

from understudy.classifiers.edits import Neighbours, change_probability, edited_codes, edited_sentence
from understudy.classifiers.income import LEGEND, income_cases
from understudy.classifiers.plausibility import CodeOdds, WordOdds
from understudy.classifiers.reviews import review_cases, vocabulary
from understudy.classifiers.speech import inflection
from understudy.roles import Floats, Variables, Vocabulary

RNG = np.random.default_rng


def neighbours(**settings: float) -> Neighbours:
    vectors = vocabulary().vectors
    assert vectors is not None
    return Neighbours(vocabulary(), vectors, **settings)  # type: ignore[arg-type]


def sentence(text: str) -> Floats:
    return np.array([float(vocabulary().words.index(one)) for one in text.split()])


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_so_many_variables_change_as_are_wanted(count: int) -> None:
    rows = income_cases().test.inputs[:200]
    edited = edited_codes(rows, np.full(200, count), LEGEND, RNG(1))
    assert ((edited != rows).sum(axis=1) == count).all()
    assert (edited < [len(values) for values in LEGEND.values]).all()


def test_variables_and_their_other_values_are_equally_likely() -> None:
    row = np.zeros((60_000, 8))
    edited = edited_codes(row, np.ones(60_000, dtype=np.int64), LEGEND, RNG(1))
    np.testing.assert_allclose((edited > 0).mean(axis=0), 1 / 8, atol=0.01)
    occupation = edited[edited[:, 2] > 0, 2]
    np.testing.assert_allclose(np.bincount(occupation.astype(int))[1:] / len(occupation), 1 / 4, atol=0.02)


def test_a_variable_with_one_value_stays() -> None:
    legend = Variables(("fixed", "free"), (("only",), ("a", "b")))
    edited = edited_codes(np.zeros((50, 2)), np.full(50, 2), legend, RNG(1))
    assert edited.tolist() == [[0.0, 1.0]] * 50


@pytest.mark.parametrize("count", [1, 2, 3])
def test_so_many_words_change_as_are_wanted_and_keep_part_and_form(count: int) -> None:
    row, words, tags = (
        sentence("the plot is rather dull , but the cast is warm ."),
        vocabulary().words,
        vocabulary().tags,
    )
    edited = edited_sentence(row, 300, neighbours(), RNG(1), count=count)
    assert ((edited != row).sum(axis=1) == count).all()
    pairs = {(int(old), int(new)) for one in edited for old, new in zip(row, one, strict=True) if old != new}
    assert all(tags[old] == tags[new] and inflection(words[old]) == inflection(words[new]) for old, new in pairs)


def test_function_words_and_punctuation_stay() -> None:
    row = sentence("the plot is dull , but the cast is warm .")
    edited = edited_sentence(row, 300, neighbours(), RNG(1), probability=1.0)
    fixed = [
        place
        for place, word in enumerate(["the", "plot", "is", "dull", ",", "but", "the", "cast", "is", "warm", "."])
        if word in "the is , but ."
    ]
    assert (edited[:, fixed] == row[fixed]).all()


def test_a_sentence_with_too_few_exchangeable_words_stays() -> None:
    row = sentence("the interval is not .")
    assert (edited_sentence(row, 5, neighbours(), RNG(1), count=2) == row).all()


def test_words_change_as_often_as_their_probability_says() -> None:
    row = sentence("the plot is dull .")
    edited = edited_sentence(row, 20_000, neighbours(), RNG(1), probability=0.3)
    np.testing.assert_allclose((edited[:, [1, 3]] != row[[1, 3]]).mean(axis=0), 0.3, atol=0.02)


@pytest.mark.parametrize(("n", "wanted"), [(10, 0.2), (20, 0.15), (30, 0.1), (60, 0.1)])
def test_long_sentences_change_less_likely(n: int, wanted: float) -> None:
    assert change_probability(n) == pytest.approx(wanted)


def test_similar_words_are_likelier_the_more_so_the_lower_the_temperature() -> None:
    dull = vocabulary().words.index("dull")
    cold, warm = (neighbours(temperature=one).choices(dull) for one in (0.2, 5.0))
    assert vocabulary().words[cold.words[0]] in {"clumsy", "tedious", "dreadful", "flat"}
    assert cold.shares[0] > warm.shares[0] > 1 / len(warm.words)
    assert cold.shares.sum() == pytest.approx(1)


def test_a_word_without_vector_or_tag_has_no_neighbours() -> None:
    bare = Vocabulary(("<unk>", "good", "bad"), None, ("", "ADJ", "ADJ"))
    assert len(Neighbours(bare, np.zeros((3, 2))).choices(1).words) == 0


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
