"""Answers of simulated people: always possible, by impression where there is one."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy import schema
from understudy.participants.people import SYNTHETIC_WORDS, effortless_answer, impressed_answer, random_answer

ASKED = {"question_id": "q", "prompt": "?"}
bounds = st.integers(-50, 50).map(lambda k: k / 4)


@st.composite
def numbers(draw: st.DrawFn) -> schema.Number:
    """Numbers whose bounds, where they have both, leave room for a whole one."""
    low = draw(st.none() | bounds)
    high = draw(st.none() | bounds) if low is None else draw(st.none() | st.integers(4, 80).map(lambda k: low + k / 4))
    return schema.Number(**ASKED, low=low, high=high, is_whole=draw(st.booleans()))


@st.composite
def texts(draw: st.DrawFn) -> schema.FreeText:
    least = draw(st.integers(0, 400))
    return schema.FreeText(**ASKED, min_chars=least, max_chars=draw(st.integers(max(least, 1), 500)))


@st.composite
def sliders(draw: st.DrawFn) -> schema.Slider:
    low = draw(bounds)
    return schema.Slider(
        **ASKED,
        low=low,
        high=low + draw(st.integers(1, 60)) / 4,
        step=draw(st.none() | st.sampled_from([0.1, 0.3, 1.0, 7.0])),
    )


def options(n: int) -> tuple[str, ...]:
    return tuple("abcdefgh"[:n])


questions: st.SearchStrategy[schema.Question] = st.one_of(
    st.integers(2, 8).map(lambda n: schema.Choice(**ASKED, options=options(n))),
    st.integers(2, 8).flatmap(lambda n: st.integers(0, n).map(lambda k: schema.MultipleChoice(**ASKED, options=options(n), min_chosen=k))),
    st.integers(2, 101).map(lambda n: schema.Rating(**ASKED, points=n)),
    st.integers(2, 21).map(lambda n: schema.Matrix(**ASKED, rows=("x", "y"), points=n)),
    st.integers(2, 8).map(lambda n: schema.Ranking(**ASKED, options=options(n))),
    numbers(),
    texts(),
    sliders(),
)  # fmt: skip


@given(question=questions, seed=st.integers(0, 2**32))
def test_a_random_answer_is_a_possible_one(question: schema.Question, seed: int) -> None:
    assert question.accepts(random_answer(question, np.random.default_rng(seed)))


@given(question=questions)
def test_the_answer_of_least_effort_is_a_possible_one(question: schema.Question) -> None:
    assert question.accepts(effortless_answer(question))


@given(question=questions, latent=st.floats(-40, 40), seed=st.integers(0, 2**32))
def test_an_answer_by_impression_is_a_possible_one(question: schema.Question, latent: float, seed: int) -> None:
    impression = schema.Impression(latents={"q": latent}, center=3.0, spread=2.0)
    assert question.accepts(impressed_answer(question, impression, np.random.default_rng(seed)))


def test_what_seems_right_is_what_is_answered() -> None:
    impression = schema.Impression(answers={"q": "b"})
    assert impressed_answer(schema.Choice(**ASKED, options=("a", "b")), impression, np.random.default_rng(1)) == "b"


@pytest.mark.parametrize(("latent", "expected"), [(-9.0, 1), (0.0, 4), (1.0, 6), (9.0, 7)])
def test_a_latent_becomes_a_point_of_the_scale(latent: float, expected: int) -> None:
    assert (
        impressed_answer(schema.Rating(**ASKED), schema.Impression(latents={"q": latent}), np.random.default_rng(1))
        == expected
    )


def test_a_latent_becomes_a_number_by_center_and_spread() -> None:
    impression = schema.Impression(latents={"q": 1.5}, center=10.0, spread=2.0)
    assert impressed_answer(schema.Number(**ASKED), impression, np.random.default_rng(1)) == 13.0


def test_guessed_options_come_up_equally_often() -> None:
    rng = np.random.default_rng(3)
    counts: Counter[Any] = Counter(
        random_answer(schema.Choice(**ASKED, options=("a", "b", "c")), rng) for _ in range(3000)
    )
    # Four standard errors of a third of 3000 are about 103.
    assert max(abs(n - 1000) for n in counts.values()) < 104


def test_words_of_simulated_people_say_that_they_are_synthetic() -> None:
    assert str(effortless_answer(schema.FreeText(**ASKED))).startswith("[synthetic]")
    assert SYNTHETIC_WORDS.startswith("[synthetic]")
