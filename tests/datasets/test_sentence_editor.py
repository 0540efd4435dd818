"""Edited sentences: how many words change, and which."""

import numpy as np
import pytest

from understudy.datasets.counterfactuals import SentenceEditor, Slot
from understudy.roles import Floats
from understudy.sources.reviews import vocabulary
from understudy.sources.words import inflection, word_table


def sentence(text: str) -> Floats:
    return np.array([float(vocabulary().words.index(word)) for word in text.split()])


def versions(row: Floats, n: int, *, count: int | None = None, probability: float | None = None) -> Floats:
    words = word_table(vocabulary(), keeps_form=True)
    assert words is not None
    editor = SentenceEditor(words, 100, 0.4, probability)
    return editor.versions(row, n, Slot(keeps=True, n_edits=count, is_exact=True), np.random.default_rng(1))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_so_many_words_change_as_are_wanted_and_keep_part_and_form(count: int) -> None:
    row, words, tags = (
        sentence("the plot is rather dull , but the cast is warm ."),
        vocabulary().words,
        vocabulary().tags,
    )
    edited = versions(row, 300, count=count)
    assert ((edited != row).sum(axis=1) == count).all()
    pairs = {(int(old), int(new)) for one in edited for old, new in zip(row, one, strict=True) if old != new}
    assert all(tags[old] == tags[new] and inflection(words[old]) == inflection(words[new]) for old, new in pairs)


def test_function_words_and_punctuation_stay() -> None:
    row = sentence("the plot is dull , but the cast is warm .")
    edited = versions(row, 300, probability=1.0)
    fixed = [
        place
        for place, word in enumerate(["the", "plot", "is", "dull", ",", "but", "the", "cast", "is", "warm", "."])
        if word in "the is , but ."
    ]
    assert (edited[:, fixed] == row[fixed]).all()


def test_a_sentence_with_too_few_exchangeable_words_stays() -> None:
    row = sentence("the interval is not .")
    assert (versions(row, 5, count=2) == row).all()


def test_words_change_as_often_as_their_probability_says() -> None:
    row = sentence("the plot is dull .")
    edited = versions(row, 20_000, probability=0.3)
    np.testing.assert_allclose((edited[:, [1, 3]] != row[[1, 3]]).mean(axis=0), 0.3, atol=0.02)
