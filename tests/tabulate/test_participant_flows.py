"""Participant flow: everybody who came is analysed or left for a stated reason."""

from typing import Any, get_args

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.playing import Player, quiz, script_of, stage, study_of
from understudy.conduct import Script
from understudy.estimate.participant_flow import analysed_sessions, participant_flow
from understudy.estimate.tables import frames_from_sessions
from understudy.schema import Ending, Event, SessionEnded, SessionExcluded

N_RIGHT = {"name": "n_right", "measure": "correct", "summary": "sum"}
RULES = [
    {"exclusion_id": "none_right", "applies": "live", "rule": "n_right < 1", "reason": "Nothing right."},
    {"exclusion_id": "few_right", "rule": "n_right < 3", "reason": "Too few right."},
]
STUDY = study_of(
    quiz(), stage("predict"), measures=[{"name": "correct", "measure": "correct"}, N_RIGHT], exclusions=RULES
)
endings = st.sampled_from([*get_args(Ending), "unfinished"])
exclusions = st.sampled_from([None, "none_right", "few_right", "by_hand"])


@pytest.fixture(scope="module")
def script() -> Script:
    return script_of(STUDY)


def table(rows: list[tuple[str, str | None, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["outcome", "excluded_by", "condition"]).astype(object)


@given(
    rows=st.lists(st.tuples(endings, exclusions, st.sampled_from(["shown", "hidden"])), max_size=40),
    n_erased=st.integers(0, 5),
)
def test_the_flow_adds_up_whatever_happened(rows: list[tuple[str, str | None, str]], n_erased: int) -> None:
    consistent = [("completed" if end == "excluded" and why is None else end, why, where) for end, why, where in rows]
    flow = participant_flow(STUDY, table(consistent), n_erased=n_erased)
    assert flow.n_recruited == len(rows) + n_erased
    assert flow.n_recruited - sum(step.n_left for step in flow.steps) == flow.n_analysed
    assert flow.n_analysed == len(analysed_sessions(table(consistent)))
    assert all(sum(step.by_condition.values()) == step.n_remaining for step in flow.steps)


def ended(script: Script, arrival: int, outcome: str) -> list[Event]:
    player = Player(script, arrival=arrival).until("predict")
    plain: dict[str, Any] = {"session_id": f"s{arrival}", "seq": 3, "at_ms": player.at_ms, "outcome": outcome}
    return [*player.log, SessionEnded.model_validate(plain)]


def missing(script: Script, arrival: int, n_right: int) -> list[Event]:
    player = Player(script, arrival=arrival).until("predict")
    for k in range(12):
        right = player.right()["guess"]
        player.answer(guess=right if k < n_right else ("no" if right == "yes" else "yes"))
    return player.finish().log


def declined(script: Script, arrival: int) -> list[Event]:
    player = Player(script, arrival=arrival)
    player.answer(consent="I do not agree")
    return player.log


def screened_out(script: Script, arrival: int) -> list[Event]:
    player = Player(script, arrival=arrival).until("quiz")
    player.answer(quiz="that")
    return player.log


def test_every_way_to_leave_has_its_step(script: Script) -> None:
    by_hand = SessionExcluded(session_id="s8", seq=1, at_ms=0, stream="desk", exclusion_id="asked", reason="Asked to.")
    sessions = [
        declined(script, 0),
        screened_out(script, 1),
        ended(script, 2, "withdrew"),
        ended(script, 3, "abandoned"),
        Player(script, arrival=4).until("predict").log,
        missing(script, 5, 0),
        missing(script, 6, 2),
        missing(script, 7, 12),
        [*missing(script, 8, 12), by_hand],
    ]
    flow = participant_flow(STUDY, frames_from_sessions(script, sessions).sessions, n_erased=1)
    assert [(step.label, step.n_left, step.n_remaining) for step in flow.steps] == [
        ("Withdrew, data erased", 1, 9),
        ("Did not consent", 1, 8),
        ("Screened out", 1, 7),
        ("Withdrew", 1, 6),
        ("Left without finishing", 1, 5),
        ("Still under way", 1, 4),
        ("Excluded: none_right", 1, 3),
        ("Excluded: few_right", 1, 2),
        ("Excluded by a researcher", 1, 1),
    ]
    assert (flow.n_recruited, flow.n_analysed) == (10, 1)


def test_an_exclusion_nobody_met_is_reported_as_nobody(script: Script) -> None:
    flow = participant_flow(STUDY, frames_from_sessions(script, [Player(script).finish().log]).sessions)
    assert [(step.label, step.reason, step.n_left) for step in flow.steps] == [
        ("Excluded: none_right", "Nothing right.", 0),
        ("Excluded: few_right", "Too few right.", 0),
    ]


def test_nobody_came(script: Script) -> None:
    flow = participant_flow(STUDY, frames_from_sessions(script, []).sessions)
    assert (flow.n_recruited, flow.n_analysed) == (0, 0)
