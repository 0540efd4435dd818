"""The overview of a study's sessions: folded from what is new, and always equal to a count from the start."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.small_studies import two_groups
from understudy.actions.casts import MIXED
from understudy.conduct import Script
from understudy.prepare import prepare
from understudy.record import Log, open_log
from understudy.schema import Event, SessionExcluded, Study
from understudy.serve.desk.overview import Overview
from understudy.simulate import rehearse


@pytest.fixture
def study() -> Study:
    return two_groups(pay={"currency": "EUR", "base": 2, "expected_minutes": 8})


@pytest.fixture
def people(study: Study, tmp_path: Path) -> list[Sequence[Event]]:
    prepared = prepare(study, tmp_path)
    script = Script(study, prepared.materials, prepared.key)
    return [tuple(events) for events in rehearse(script, MIXED, seed=4, n_people=12)]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with open_log(tmp_path / "events.sqlite") as opened:
        yield opened


def test_folding_piece_by_piece_equals_counting_everything(
    study: Study, people: list[Sequence[Event]], log: Log
) -> None:
    grown = Overview(log, study)
    for events in people:
        for first in range(0, len(events), 7):
            log.append(events[first : first + 7])
            grown.refreshed()
    _exclude(log, people[0])
    log.erase(people[1][0].session_id)
    found, whole = grown.refreshed(), Overview(log, study).refreshed()
    assert {key: +at for key, at in found.at.items()} == {key: +at for key, at in whole.at.items()}
    assert found._replace(at={}) == whole._replace(at={})
    assert found.median_minutes is not None
    assert found.median_pay_per_hour is not None


def test_sessions_keep_the_order_in_which_they_started(study: Study, people: list[Sequence[Event]], log: Log) -> None:
    overview = Overview(log, study)
    for events in people:
        log.append(events[:3])
    overview.refreshed()
    log.append(people[0][3:])
    known = overview.refreshed().summaries
    assert [summary.session_id for summary in known] == [events[0].session_id for events in people]


def test_only_new_events_are_read(study: Study, people: list[Sequence[Event]], log: Log) -> None:
    for events in people[:-1]:
        log.append(events)
    position = log.changes(study.name, 0).position
    log.append(people[-1])
    changes = log.changes(study.name, position)
    assert [summary.session_id for summary in changes.summaries] == [people[-1][0].session_id]
    assert log.changes(study.name, changes.position).summaries == ()


def test_another_study_in_the_same_log_changes_nothing(people: list[Sequence[Event]], log: Log) -> None:
    log.append(people[0])
    assert log.changes("another", 0)[1:] == ((), (), 0)


def _exclude(log: Log, events: Sequence[Event]) -> None:
    excluded = SessionExcluded(
        session_id=events[0].session_id, seq=1, at_ms=0, stream="desk", exclusion_id="desk", reason="test",
        actor="researcher",
    )  # fmt: skip
    log.append([excluded])
