"""Every registered simulated person, ours or from another package, keeps these promises."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from understudy import registry
from understudy.roles import Participant, Reaction
from understudy.schema import Impression, Question, Ref, Trial

KINDS: list[dict[str, Any]] = [
    {"kind": "choice", "question_id": "choice", "prompt": "?", "options": ["a", "b", "c"]},
    {"kind": "multiple_choice", "question_id": "several", "prompt": "?", "options": ["a", "b", "c"]},
    {"kind": "rating", "question_id": "rating", "prompt": "?", "points": 6},
    {"kind": "matrix", "question_id": "matrix", "prompt": "?", "rows": ["x", "y"]},
    {"kind": "slider", "question_id": "slider", "prompt": "?", "step": 5},
    {"kind": "number", "question_id": "number", "prompt": "?", "is_whole": True, "low": 2},
    {"kind": "text", "question_id": "text", "prompt": "?", "min_chars": 90},
    {"kind": "ranking", "question_id": "ranking", "prompt": "?", "options": ["a", "b"]},
    {
        "kind": "dials",
        "question_id": "dials",
        "prompt": "?",
        "dials": [{"high": 2.0}, {"kind": "discrete", "options": ["a", "b"]}],
    },
]
ADAPTER: TypeAdapter[tuple[Question, ...]] = TypeAdapter(tuple[Question, ...])
TRIAL = Trial(trial_id="t", block_id="b", task="judge", params={}, asks=ADAPTER.validate_python(tuple(KINDS)))
PAGE = TRIAL.model_copy(update={"asks": ()})
every = pytest.mark.parametrize("name", registry.names("participants"))
impressions = st.builds(
    Impression,
    answers=st.just({}) | st.just({"choice": "b", "rating": 6}),
    latents=st.dictionaries(st.sampled_from([kind["question_id"] for kind in KINDS]), st.floats(-8, 8)),
    center=st.floats(-100, 100),
    spread=st.floats(0.1, 50),
    n_seen=st.integers(0, 500),
    n_in_stage=st.integers(0, 50),
)


def reaction(name: str, trial: Trial, impression: Impression, seed: int) -> Reaction | None:
    made: Participant = registry.create("participants", Ref(name=name))
    return made.respond(trial, impression, np.random.default_rng(seed), None)


def test_the_kinds_of_question_are_all_there_are() -> None:
    assert len(TRIAL.asks) == len({question.kind for question in TRIAL.asks}) == 9


@every
@given(impression=impressions, seed=st.integers(0, 2**32))
def test_every_question_gets_a_possible_answer_or_the_person_leaves(
    name: str, impression: Impression, seed: int
) -> None:
    given_ = reaction(name, TRIAL, impression, seed)
    if given_ is not None:
        assert given_.response.keys() == {question.question_id for question in TRIAL.asks}
        assert all(question.accepts(given_.response[question.question_id]) for question in TRIAL.asks)


@every
@given(seed=st.integers(0, 2**32))
def test_an_answer_takes_time_and_can_be_written_as_json(name: str, seed: int) -> None:
    given_ = reaction(name, TRIAL, Impression(), seed)
    if given_ is not None:
        assert given_.rt_ms > 0
        assert json.loads(json.dumps(given_.response, allow_nan=False)) == given_.response


@every
def test_somebody_stays(name: str) -> None:
    assert any(reaction(name, TRIAL, Impression(), seed) is not None for seed in range(20))


@every
def test_the_same_randomness_gives_the_same_reaction(name: str) -> None:
    assert reaction(name, TRIAL, Impression(), 3) == reaction(name, TRIAL, Impression(), 3)


@every
def test_a_page_without_questions_is_passed_in_silence(name: str) -> None:
    given_ = reaction(name, PAGE, Impression(), 1)
    assert given_ is not None
    assert given_.response == {}


@every
def test_what_is_typical_is_answered_as_is_typical(name: str) -> None:
    given_ = reaction(name, TRIAL.model_copy(update={"typical": {"choice": "c"}}), Impression(), 1)
    assert given_ is not None
    assert given_.response["choice"] == "c"
