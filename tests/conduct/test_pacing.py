"""Progress and minutes left keep close to what simulated people really take, whatever their pace."""

from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

from tests.playing import Player, page, quiz, script_of, stage, study_of
from understudy.actions.casts import cast_from
from understudy.conduct import Ended, Script, Session, resume
from understudy.conduct.timing import Pacing, PlannedVisit, Timetable, expected_s
from understudy.prepare import prepare
from understudy.protocols.hase2020.study import simulatability_demo
from understudy.protocols.ross2021.synthetic import ross2021_synthetic
from understudy.schema import Event, ResponseGiven, SessionEnded, SessionStarted, Study, TrialShown
from understudy.simulate import rehearse

FIRST = ("Practise", "What you will do", "Model 1 of 3")
"""Parts at whose beginning little is known yet about the person's pace; simulated people read in seconds, and take a third of
the announced minutes. What people are told follows them in steps and not at one click."""
STUDIES: dict[str, Callable[[], Study]] = {
    "simulatability-demo": simulatability_demo,
    "ross2021-synthetic": ross2021_synthetic,
}


class Page(NamedTuple):
    """What somebody is told on a page, next to the truth."""

    progress: float
    true_progress: float
    left_s: float
    true_left_s: float
    part: str | None
    opening_s: float | None


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
            opening_s = step.opening.seconds if step.opening else None
            yield Page(step.progress, true_share, step.left_s, (end - event.at_ms) / 1000, title, opening_s)
        if event.stream == "page":
            session.take(event)


class Rehearsed(NamedTuple):
    """The sessions of simulated people who completed a study."""

    script: Script
    sessions: list[list[Event]]

    def told(self) -> list[list[Page]]:
        """Return what each of them was told."""
        return [list(pages_of(self.script, events)) for events in self.sessions]


@cache
def rehearsed(name: str, cast: str) -> Rehearsed:
    study = STUDIES[name]()
    prepared = prepare(study, Path())
    script = Script(study, prepared.materials, prepared.key, prepared.files)
    sessions = rehearse(script, cast_from(cast, study), seed=1, n_people=12 if cast.startswith("dial") else 24)
    completed = [
        events for events in sessions if any(isinstance(e, SessionEnded) and e.outcome == "completed" for e in events)
    ]
    return Rehearsed(script, completed)


CASTS = [
    ("simulatability-demo", "mixed"),
    ("simulatability-demo", "lime_reader"),
    ("simulatability-demo", "nearest_neighbour"),
    ("ross2021-synthetic", "mixed"),
    pytest.param("ross2021-synthetic", "dial_visual_matcher", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("study", "cast"), CASTS)
def test_progress_and_minutes_left_are_within_a_fifth_of_the_truth(study: str, cast: str) -> None:
    people = rehearsed(study, cast).told()
    pages = [shown for session in people for shown in session]
    assert len(people) >= 8
    assert max(abs(shown.progress - shown.true_progress) for shown in pages) < 0.2
    # The last minute is told as such, and no share of it means anything.
    errors = [abs(shown.left_s / shown.true_left_s - 1) for shown in pages if shown.true_left_s > 60]
    assert median(errors) < 0.2
    # At each announcement, compared with the length of the session.
    for title in {told.part for told in pages if told.part and told.part not in FIRST}:
        assert median(errors_of_part(people, title)) < 0.2, title


@pytest.mark.parametrize("study", STUDIES)
def test_the_first_page_tells_people_about_the_minutes_that_the_study_announces(study: str) -> None:
    script, sessions = rehearsed(study, "mixed")
    first = [next(pages_of(script, events)).left_s / 60 for events in sessions]
    assert script.study.pay is not None
    assert median(first) == pytest.approx(script.study.pay.expected_minutes, rel=0.2)


def errors_of_part(people: list[list[Page]], title: str | None) -> list[float]:
    """Return how far the minutes left were off at an announcement, as a share of the session; None is the first page."""
    return [
        abs(shown.left_s - shown.true_left_s) / session[0].true_left_s
        for session in people
        for shown in (session[:1] if title is None else session)
        if title is None or shown.part == title
    ]


@pytest.mark.parametrize(("study", "cast"), CASTS)
def test_after_the_first_people_minutes_are_right_from_the_first_page_on(study: str, cast: str) -> None:
    script, sessions = rehearsed(study, cast)
    later = copy(script)
    later.timetable = Timetable(later)
    n_first = len(sessions) // 2
    for events in sessions[:n_first]:
        later.timetable.learn(resume(later, events).session.steps)
    people = Rehearsed(later, sessions[n_first:]).told()
    titles = {shown.part for session in people for shown in session if shown.part}
    assert titles.intersection(FIRST)
    for title in (None, *titles):
        assert median(errors_of_part(people, title)) < 0.2, title


def test_the_minutes_of_a_part_are_those_of_minutes_left() -> None:
    script, sessions = rehearsed("simulatability-demo", "mixed")
    for events in sessions:
        openings = [
            (shown.left_s, shown.opening_s) for shown in pages_of(script, events) if shown.opening_s is not None
        ]
        # What is left at an announcement is that part and what is left at the next one, as far as it is known now.
        assert all(part_s <= left_s + 1e-6 for left_s, part_s in openings)
        assert openings[-1][1] == pytest.approx(openings[-1][0])


def test_progress_starts_at_nothing_and_never_falls() -> None:
    for told in rehearsed("simulatability-demo", "mixed").told():
        shares = [shown.progress for shown in told]
        assert shares[0] == 0
        assert shares == sorted(shares)


def test_a_page_takes_as_long_as_the_study_says() -> None:
    script = script_of(study_of(stage("predict", n_items=4, seconds=7.5), quiz(), page("method")))
    steps = Player(script).finish().steps
    planned = {step.visit.block.block_id: script.timetable.plan(step.visit) for step in steps}
    assert (planned["predict"].n_pages, planned["predict"].seconds) == (4, 30.0)
    assert planned["quiz"].page_s > planned["method"].page_s > 0


def test_more_dials_take_longer() -> None:
    script = rehearsed("ross2021-synthetic", "mixed").script
    trials = {trial.block_id: trial for trial in script.trials.values()}
    five = trials["solve_targets"]
    two = five.model_copy(update={"asks": trials["practice_sliders"].asks})
    assert expected_s(five) - expected_s(two) == pytest.approx(3 * 5, abs=1)


class Paces(NamedTuple):
    """How long somebody takes, as a share of what pages are estimated to take."""

    reading: float
    predicting: float


def prediction_s(*people: Paces) -> float:
    """Return what a page that is estimated to take 10 s is told to take, after people have completed the study."""
    script = script_of(study_of(stage("predict", n_items=4, seconds=10.0), page("method", seconds=60.0)))
    estimates = Timetable(script)
    for paces in people:
        player = Player(script)
        while player.session.outcome is None:
            visit = player.step.visit
            pace = paces.predicting if visit.block.block_id == "predict" else paces.reading
            player.answer(seconds=pace * estimates.plan(visit).page_s)
        script.timetable.learn(player.session.steps)
    visit = Player(script).until("predict").step.visit
    return script.timetable.plan(visit).page_s


HONEST, HASTY, CLICKING = Paces(1.2, 1.2), Paces(0.4, 0.4), Paces(0.05, 0.05)


def test_people_who_click_through_do_not_shorten_the_minutes_of_others() -> None:
    assert prediction_s(*[CLICKING] * 20) == 10
    assert prediction_s(*[HONEST] * 3, *[CLICKING] * 20) == prediction_s(*[HONEST] * 3) > 11


def test_hasty_people_count_only_when_they_are_half() -> None:
    assert prediction_s(*[HONEST] * 6, *[HASTY] * 5) == pytest.approx(12, rel=0.05)


def test_no_page_is_told_to_take_less_than_a_quarter_of_its_estimate() -> None:
    # They read for long enough to count, and click through what is asked.
    assert prediction_s(*[Paces(1.0, 0.01)] * 20) == 2.5


def test_one_page_clicked_away_does_not_take_minutes_off_what_was_promised() -> None:
    pacing = Pacing(30 * 60.0)
    reading, judging = PlannedVisit("consent", 1, 60.0), PlannedVisit("judge", 40, 1500.0)
    pacing.look_ahead([reading, judging])
    told_min = [pacing.left_s / 60]
    pacing.answered("consent", expected_s=60.0, spent_s=2.0)
    for n_left in range(40, -1, -1):
        pacing.look_ahead([PlannedVisit("judge", n_left, 37.5 * n_left)])
        told_min.append(pacing.left_s / 60)
        pacing.answered("judge", expected_s=37.5, spent_s=20.0)
    assert told_min[0] == pytest.approx(30)
    assert told_min[1] > 24
    assert max(before - after for before, after in pairwise(told_min)) < 6
    assert told_min == sorted(told_min, reverse=True)
    # Ten pages on, it is the person's own pace that counts.
    assert told_min[11] == pytest.approx(30 * 20 / 60, rel=0.15)


def test_somebody_who_clicks_through_the_instructions_is_not_told_that_the_questions_take_no_time() -> None:
    pacing = Pacing()
    questions = [PlannedVisit("judge", 20, 1200.0)]
    for _ in range(10):
        pacing.answered("instructions", expected_s=60.0, spent_s=1.0)
    unseen_s = pacing.time_for(questions)
    for _ in range(10):
        pacing.answered("judge", expected_s=60.0, spent_s=6.0)
    assert (unseen_s, pacing.time_for(questions) < 200) == (600, True)
