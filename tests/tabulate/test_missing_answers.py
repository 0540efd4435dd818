"""Missing answers: what each stage of each condition wanted, and what it got."""

import pytest

from tests.playing import Player, rich_study, script_of, stage, study_of
from understudy.conduct import Script
from understudy.estimate.participant_flow import expected_answers, missing_answers
from understudy.estimate.tables import frames_from_sessions
from understudy.schema import Event, MissingAnswers, SessionEnded, SessionExcluded, Study

STUDY = study_of(
    stage("practice", n_items=2, purpose="practice"),
    stage("before", n_items=6),
    stage("after", None, repeats="before", gate={"at_least": 1, "tries": 2, "on_fail": "go_on"}),
)


@pytest.fixture(scope="module")
def script() -> Script:
    return script_of(STUDY)


def gone(player: Player) -> list[Event]:
    end = SessionEnded(session_id=player.session.session_id, seq=9, at_ms=player.at_ms, outcome="withdrew")
    return [*player.log, end]


def missing(script: Script, *sessions: list[Event]) -> list[MissingAnswers]:
    return list(missing_answers(script, frames_from_sessions(script, sessions)))


def test_nobody_who_left_means_no_table(script: Script) -> None:
    assert missing(script, Player(script).finish().log) == []


def test_main_stages_of_conditions_with_people_are_counted(script: Script) -> None:
    mine = Player(script, arrival=0, condition="shown").finish().log
    other = gone(Player(script, arrival=1, condition="shown").until("after"))
    assert [(one.condition, one.block_id, one.n_expected, one.n_given) for one in missing(script, mine, other)] == [
        ("shown", "before", 12, 12),
        ("shown", "after", 12, 6),
    ]


def test_a_second_try_gives_no_further_answers(script: Script) -> None:
    failing = Player(script, arrival=0, condition="hidden").until("after")
    for _ in range(6):
        failing.answer(guess="no" if failing.right()["guess"] == "yes" else "yes")
    found = missing(script, gone(failing.until("debrief")))
    assert [(one.n_people, one.n_left, one.n_given) for one in found] == [(1, 1, 6), (1, 1, 6)]


def test_excluded_people_are_not_counted(script: Script) -> None:
    out = SessionExcluded(session_id="s0", seq=1, at_ms=0, stream="desk", exclusion_id="asked", reason="Asked to.")
    excluded = [*gone(Player(script, arrival=0, condition="shown").until("after")), out]
    left = gone(Player(script, arrival=1, condition="shown").until("before"))
    assert [(one.n_people, one.n_reached) for one in missing(script, excluded, left)] == [(1, 0), (1, 0)]


def test_a_stage_that_ends_by_the_clock_has_no_fixed_number() -> None:
    script = script_of(rich_study())
    assert expected_answers(script, script.study.cells[0]) == {"pre": None, "post": None}


def test_turns_of_a_loop_are_added_up() -> None:
    study = rich_study()
    untimed = study.model_dump_json().replace('"minutes":0.5', '"minutes":null')
    script = script_of(Study.model_validate_json(untimed))
    assert expected_answers(script, script.study.cells[0]) == {"pre": 12, "post": 12}
