"""Every registered measure, ours or from another package, keeps these promises."""

import json
from typing import Any, get_args

import pytest

from tests.playing import Player, rich_study, script_of
from understudy import registry
from understudy.roles import Measure
from understudy.schema import Event, Ref, Scale

NEEDED: dict[str, dict[str, Any]] = {
    "actions": {"action": "opened"},
    "answer": {"question": "guess"},
    "chosen": {"question": "guess", "option": "yes"},
    "coded": {"scheme": "themes", "codes": ["income"]},
    "n_coded": {"scheme": "themes", "codes": ["income"]},
    "settled_code": {"scheme": "themes"},
    "pasted_text": {"question": "guess"},
    "repeated_text": {"question": "guess"},
    "text_length": {"question": "guess"},
    "row_fact": {"question": "row_1"},
    "scale_score": {"question": "guess", "points": 7},
    "straight_lining": {"question": "guess"},
    "tries": {"block": "quiz"},
    "worded": {"question": "guess"},
}
every = pytest.mark.parametrize("name", registry.names("measures"))


@pytest.fixture(scope="module")
def player() -> Player:
    return Player(script_of(rich_study())).finish()


def measure(name: str) -> Measure:
    made: Measure = registry.create("measures", Ref(name=name, params=NEEDED.get(name, {})))
    return made


def parts(player: Player, name: str) -> list[list[Event]]:
    """What the measure is given: each presentation, or the whole session."""
    return [player.log] if measure(name).unit == "session" else [list(step.events) for step in player.session.steps]


@every
def test_a_measure_says_what_kind_of_number_it_is(name: str) -> None:
    assert measure(name).unit in ("trial", "session")
    assert measure(name).scale in get_args(Scale)
    assert measure(name).better in ("higher", "lower", "neither")


@every
def test_nothing_measured_is_none_and_only_a_count_is_zero(name: str) -> None:
    score = measure(name).score([], {})
    assert score is None or (measure(name).scale == "count" and score == 0.0)


@every
def test_a_score_is_of_its_kind_and_can_be_written_as_json(name: str, player: Player) -> None:
    for events in parts(player, name):
        score = measure(name).score(events, player.script.answers)
        assert score is None or isinstance(score, str if measure(name).scale == "nominal" else float)
        assert json.loads(json.dumps(score, allow_nan=False)) == score


@every
def test_a_score_keeps_to_its_scale(name: str, player: Player) -> None:
    most = {"binary": 1.0, "bounded": 1.0}.get(measure(name).scale, float("inf"))
    scores = [measure(name).score(events, player.script.answers) for events in parts(player, name)]
    assert all(0 <= score <= most for score in scores if isinstance(score, float))


@every
def test_scoring_leaves_the_events_alone_and_comes_out_the_same_again(name: str, player: Player) -> None:
    before = [list(events) for events in parts(player, name)]
    first, second = (
        [measure(name).score(events, player.script.answers) for events in parts(player, name)] for _ in range(2)
    )
    assert first == second
    assert parts(player, name) == before


@every
def test_a_measure_says_what_it_is_in_a_sentence(name: str) -> None:
    assert (registry.entry("measures", name).__doc__ or "").strip().endswith(".")
