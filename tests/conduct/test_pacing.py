"""Progress and minutes left keep close to what simulated people really take, whatever their pace."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

from tests.playing import Player, page, quiz, script_of, stage, study_of
from understudy.conduct import Ended, Script, Session
from understudy.prepare import prepare
from understudy.protocols.hase2020.demo import simulatability_demo
from understudy.protocols.ross2021.synthetic import ross2021_synthetic
from understudy.schema import Event, ResponseGiven, SessionEnded, SessionStarted, Study, TrialShown
from understudy.simulate import rehearse
from understudy.workflow.casting import cast_from

FIRST = ("Practise", "What you will do")
"""Parts at whose beginning nothing is known yet about the person's pace; simulated people read in seconds."""


class Page(NamedTuple):
    """What somebody is told on a page, next to the truth."""

    progress: float
    true_progress: float
    left_s: float
    true_left_s: float
    part: str | None


def pages_of(script: Script, events: list[Event]) -> Iterator[Page]:
    """Yield what is told before each answer of a completed session."""
    first = events[0]
    assert isinstance(first, SessionStarted)
    session = Session(script, first)
    answers = [event for event in events if isinstance(event, ResponseGiven)]
    start, end = events[0].at_ms, answers[-1].at_ms
    for event in events[1:]:
        step = session.next
        if isinstance(event, TrialShown) and not isinstance(step, Ended):
            title = step.part.title if step.part and step.opening and step.opening.begins_part else None
            true_share = (event.at_ms - start) / (end - start)
            yield Page(step.progress, true_share, step.left_s, (end - event.at_ms) / 1000, title)
        if event.stream == "page":
            session.take(event)


def told_to(study: Study, cast: str, n_people: int = 24) -> list[list[Page]]:
    """Return what each simulated person who completed the study was told."""
    prepared = prepare(study, Path())
    script = Script(study, prepared.materials, prepared.key, prepared.files)
    sessions = rehearse(script, cast_from(cast, study), seed=1, n_people=n_people)
    completed = [
        events for events in sessions if any(isinstance(e, SessionEnded) and e.outcome == "completed" for e in events)
    ]
    return [list(pages_of(script, events)) for events in completed]


@pytest.mark.parametrize(
    ("study", "cast"),
    [
        (simulatability_demo(), "mixed"),
        (simulatability_demo(), "lime_reader"),
        (simulatability_demo(), "nearest_neighbour"),
        (ross2021_synthetic(), "mixed"),
        (ross2021_synthetic(), "dial_visual_matcher"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_progress_and_minutes_left_are_within_a_fifth_of_the_truth(study: Study, cast: str) -> None:
    people = told_to(study, cast, 12 if cast.startswith("dial") else 24)
    pages = [shown for session in people for shown in session]
    assert len(people) >= 8
    assert max(abs(shown.progress - shown.true_progress) for shown in pages) < 0.2
    # The last minute is told as such, and no share of it means anything.
    errors = [abs(shown.left_s / shown.true_left_s - 1) for shown in pages if shown.true_left_s > 60]
    assert median(errors) < 0.2
    # At each announcement, compared with the length of the session.
    for title in {told.part for told in pages if told.part and told.part not in FIRST}:
        off = [
            abs(shown.left_s - shown.true_left_s) / session[0].true_left_s
            for session in people
            for shown in session
            if shown.part == title
        ]
        assert median(off) < 0.2, title


def test_progress_starts_at_nothing_and_never_falls() -> None:
    for told in told_to(simulatability_demo(), "mixed"):
        shares = [shown.progress for shown in told]
        assert shares[0] == 0
        assert shares == sorted(shares)


def test_a_page_takes_as_long_as_the_study_says() -> None:
    script = script_of(study_of(stage("predict", n_items=4, seconds=7.5), quiz(), page("method")))
    steps = Player(script).finish().steps
    planned = {step.visit.block.block_id: script.timetable.plan(step.visit) for step in steps}
    assert (planned["predict"].n_pages, planned["predict"].seconds) == (4, 30.0)
    assert planned["quiz"].page_s > planned["method"].page_s > 0
