"""Tables: rows that match the events, a codebook that matches the columns, the same from memory and from files."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.playing import CONFIDENCE, Player, rich_study, script_of, stage, study_of
from tests.small_studies import two_groups
from understudy.conduct import Script
from understudy.estimate import tables as tables_module
from understudy.estimate.codebook import SESSION_PLACE, TRIAL_FRAME, TRIAL_PLACE, session_columns, trial_columns
from understudy.estimate.tables import frames_from_sessions, read_tables, write_tables
from understudy.registry import names
from understudy.schema import RESERVED_COLUMNS, Cast, CastMember, Event, Ref, ResponseGiven
from understudy.simulate import rehearse

CAST = Cast(members=tuple(CastMember(participant=Ref(name=name), share=1) for name in names("participants")))
MANY = {"kind": "multiple_choice", "question_id": "several", "prompt": "Which?", "options": ["a", "b"]}
GRID = {"kind": "matrix", "question_id": "grid", "prompt": "How?", "rows": ["x", "y"]}


@pytest.fixture(scope="module")
def script() -> Script:
    return script_of(rich_study())


@pytest.fixture(scope="module")
def crowd(script: Script) -> list[list[Event]]:
    return list(rehearse(script, CAST, seed=8))


def test_there_is_a_trial_row_for_each_response_and_a_session_row_for_each_session(
    script: Script, crowd: list[list[Event]]
) -> None:
    frames = frames_from_sessions(script, crowd)
    given = [event for events in crowd for event in events if isinstance(event, ResponseGiven)]
    assert frames.trials["trial"].astype(str).tolist() == [event.trial_id for event in given]
    assert frames.trials["rt_ms"].tolist() == [event.rt_ms for event in given]
    assert frames.sessions["session"].astype(str).tolist() == [events[0].session_id for events in crowd]


def test_a_row_says_what_was_answered_where_and_under_which_levels(script: Script) -> None:
    player = Player(script, condition="shown").finish()
    row = frames_from_sessions(script, [player.log]).trials.iloc[10]
    step = player.steps[10]
    assert (row["block"], row["try"], row["condition"], row["explanation"]) == (step.visit.block.block_id, 1, "shown", "shown")  # fmt: skip
    assert (row["model"], row["phase"]) == (step.visit.levels["model"], step.visit.levels["phase"])
    assert (row["item"], row["answer"]) == (step.trial.stimulus_id, row["answer.guess"])
    assert (row["correct"], row["is_synthetic"]) == (1.0, True)


def test_positions_count_within_a_block(script: Script) -> None:
    trials = frames_from_sessions(script, [Player(script).finish().log]).trials
    assert trials[trials["block"] == "pre"]["position"].tolist() == [0, 1, 2, 3] * 3


def test_a_measure_is_missing_outside_its_blocks(script: Script) -> None:
    trials = frames_from_sessions(script, [Player(script).finish().log]).trials
    assert set(trials[trials["correct"].notna()]["block"]) == {"pre", "post"}


def test_further_tries_are_told_apart(script: Script) -> None:
    player = Player(script).until("quiz")
    player.answer(quiz="that")
    trials = frames_from_sessions(script, [player.finish().log]).trials
    assert trials[trials["block"] == "quiz"]["try"].tolist() == [1, 2]


def test_a_session_row_tells_its_end_its_pay_and_its_measures(script: Script) -> None:
    row = frames_from_sessions(script, [Player(script).finish().log]).sessions.iloc[0]
    assert (row["outcome"], row["base_pay"], row["bonus"], row["n_right"]) == ("completed", 2.0, 1.0, 24.0)
    assert pd.isna(row["excluded_by"])
    assert row["minutes"] == pytest.approx(31 / 60)


def test_a_session_under_way_is_unfinished(script: Script) -> None:
    row = frames_from_sessions(script, [Player(script).until("quiz").log]).sessions.iloc[0]
    assert row["outcome"] == "unfinished"
    assert pd.isna(row["base_pay"])


def test_a_session_that_showed_nothing_has_no_minutes(script: Script) -> None:
    row = frames_from_sessions(script, [Player(script).log]).sessions.iloc[0]
    assert pd.isna(row["minutes"])


def test_the_codebook_has_an_entry_for_each_column_and_no_other(script: Script, crowd: list[list[Event]]) -> None:
    frames = frames_from_sessions(script, crowd)
    assert list(frames.trials.columns) == [entry.variable for entry in trial_columns(script)]
    assert list(frames.sessions.columns) == [entry.variable for entry in session_columns(script)]


def test_no_column_appears_twice_and_each_is_described(script: Script) -> None:
    for entries in (trial_columns(script), session_columns(script)):
        assert len({entry.variable for entry in entries}) == len(entries)
        assert all(entry.description and entry.source for entry in entries)


def test_values_of_a_column_with_levels_are_among_them(script: Script, crowd: list[list[Event]]) -> None:
    trials = frames_from_sessions(script, crowd).trials
    for entry in trial_columns(script):
        if entry.levels:
            assert set(trials[entry.variable].dropna().astype(str)) <= set(entry.levels)


@pytest.mark.parametrize("flush_rows", [1, 50, 20_000])
def test_streamed_tables_equal_those_in_memory(
    script: Script, crowd: list[list[Event]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flush_rows: int
) -> None:
    monkeypatch.setattr(tables_module, "FLUSH_ROWS", flush_rows)
    held, read = frames_from_sessions(script, crowd), read_tables(write_tables(script, iter(crowd), tmp_path))
    trials = pd.concat([plain(part) for part in read.trial_parts()])
    for one, other in ((held.trials, trials), (held.sessions, read.sessions)):
        pd.testing.assert_frame_equal(plain(one), plain(other))


def test_no_session_is_split_between_parts(
    script: Script, crowd: list[list[Event]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables_module, "FLUSH_ROWS", 50)
    parts = list(read_tables(write_tables(script, iter(crowd), tmp_path)).trial_parts({"session"}))
    seen = [set(part["session"].astype(str)) for part in parts]
    assert len(parts) > 1
    assert sum(map(len, seen)) == len(set().union(*seen)) == len(crowd)
    assert [list(part.columns) for part in parts] == [["session"]] * len(parts)


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Categories are numbered in the order of their reading, which is no part of the data."""
    return frame.astype({name: object for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)})


def test_no_sessions_make_empty_tables_with_all_columns(script: Script, tmp_path: Path) -> None:
    frames = read_tables(write_tables(script, [], tmp_path))
    (trials,) = frames.trial_parts()
    assert (len(trials), len(frames.sessions)) == (0, 0)
    assert list(trials.columns) == [entry.variable for entry in trial_columns(script)]


def test_sessions_of_another_version_are_left_out_and_counted(tmp_path: Path) -> None:
    script, other = script_of(two_groups()), script_of(two_groups(seed=2))
    sessions = [Player(one, arrival=k).finish().log for k, one in enumerate((script, other, script))]
    held, read = frames_from_sessions(script, sessions), read_tables(write_tables(script, sessions, tmp_path))
    for frames in (held, read):
        assert frames.n_other_versions == 1
        assert frames.sessions["session"].astype(str).tolist() == ["s0", "s2"]


def test_answers_of_many_parts_are_kept_as_json() -> None:
    task = {"name": "judge", "params": {"questions": [MANY, GRID, CONFIDENCE]}}
    measure: dict[str, Any] = {"name": "correct", "measure": {"name": "answer", "params": {"question": "confidence"}}}
    script = script_of(study_of({**stage("rate"), "task": task}, measures=[measure]))
    player = Player(script).until("rate")
    player.answer(several=["b"], grid={"x": 1, "y": 5}, confidence=6)
    row = frames_from_sessions(script, [player.log]).trials.iloc[-1]
    assert json.loads(row["answer.several"]) == ["b"]
    assert json.loads(row["answer.grid"]) == {"x": 1, "y": 5}
    assert row["answer.confidence"] == row["correct"] == 6.0


def asking(block_id: str, question: dict[str, Any]) -> dict[str, Any]:
    task = {"name": "questionnaire", "params": {"questions": [{**question, "question_id": "q"}]}}
    return {"kind": "screen", "block_id": block_id, "purpose": "questionnaire", "task": task}


def test_questions_of_one_name_and_different_kinds_share_a_column_of_text() -> None:
    choice = {"kind": "choice", "prompt": "Which?", "options": ["a", "b"]}
    script = script_of(study_of(asking("one", CONFIDENCE), asking("two", choice), stage("predict")))
    frames = frames_from_sessions(script, [Player(script).finish().log])
    (entry,) = (column for column in trial_columns(script) if column.variable == "answer.q")
    assert frames.trials["answer.q"].dropna().tolist() == ["4", "a"]
    assert (entry.type, entry.levels, entry.description) == ("text", (), "How sure are you? / Which?")


def test_only_single_choices_have_levels_since_lists_are_kept_as_json() -> None:
    script = script_of(study_of(asking("one", MANY), stage("predict")))
    levels = {column.variable: column.levels for column in trial_columns(script)}
    assert (levels["answer.q"], levels["answer.guess"]) == ((), ("yes", "no"))


def test_every_column_that_is_always_there_is_reserved() -> None:
    always = {entry.variable for entry in (*TRIAL_FRAME, *TRIAL_PLACE, *SESSION_PLACE)}
    assert always <= RESERVED_COLUMNS
