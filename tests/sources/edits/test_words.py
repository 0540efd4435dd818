"""Words: what may stand for each, and how likely."""

import numpy as np
import pytest

from understudy.roles import Vocabulary
from understudy.sources.edits import Choices, change_chance, choices_for
from understudy.sources.reviews import vocabulary
from understudy.sources.words import inflection, word_table


def choices_of(word: str, legend: Vocabulary, temperature: float = 0.4) -> Choices:
    table = word_table(legend, keeps_form=True)
    assert table is not None
    ids = np.array([legend.words.index(word)])
    return choices_for(ids, table, n_choices=100, temperature=temperature)


def test_similar_words_are_likelier_the_more_so_the_lower_the_temperature() -> None:
    cold, warm = (choices_of("dull", vocabulary(), number) for number in (0.2, 5.0))
    assert vocabulary().words[cold.words[0, 0]] in {"clumsy", "tedious", "dreadful", "flat"}
    assert cold.cumulative[0, 0] > warm.cumulative[0, 0] > 1 / (np.diff(warm.cumulative[0], prepend=0) > 0).sum()
    assert cold.cumulative[0, -1] == pytest.approx(1)


def test_a_word_without_vector_has_no_choices() -> None:
    bare = Vocabulary(("<unk>", "good", "bad"), np.zeros((3, 2)), ("", "ADJ", "ADJ"))
    assert len(choices_of("good", bare).places) == 0


@pytest.mark.parametrize(("keeps_form", "n_kinds"), [(True, 2), (False, 1)])
def test_words_of_another_form_are_another_kind_where_the_form_is_kept(keeps_form: bool, n_kinds: int) -> None:
    table = word_table(Vocabulary(("play", "plays"), np.ones((2, 2)), ("NOUN", "NOUN")), keeps_form=keeps_form)
    assert table is not None
    assert len(set(table.kinds.tolist())) == n_kinds


@pytest.mark.parametrize(("n", "wanted"), [(10, 0.2), (20, 0.15), (30, 0.1), (60, 0.1)])
def test_words_of_long_sentences_change_less_likely(n: int, wanted: float) -> None:
    assert change_chance(n) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("word", "ending"), [("runs", "s"), ("dress", ""), ("running", "ing"), ("ring", ""), ("a", "")]
)
def test_the_form_of_a_word_is_its_ending(word: str, ending: str) -> None:
    assert inflection(word) == ending
