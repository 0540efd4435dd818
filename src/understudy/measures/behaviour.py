"""Measures of behaviour: times, traces and learning."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar, Literal

from pydantic import Field

from understudy.measures.answer import SessionMeasure, TrialMeasure, last_response
from understudy.registry import create, register
from understudy.roles import Measure
from understudy.schema import (
    Event,
    GateDecided,
    Interacted,
    Json,
    Ref,
    ResponseGiven,
    Scale,
    TrialShown,
    canonical_json,
)
from understudy.schema.events import page_span_ms


@register("measures", "response_time")
class ResponseTime(TrialMeasure):
    """Seconds to the submitted answer, by the clock of the page and at most what the server saw."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "time"
    counts: Literal["wall", "active"] = "wall"
    """wall: all the time; active: without idle time, if the page recorded it."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None if nothing was submitted."""
        given = last_response(events)
        if given is None:
            return None
        elapsed_ms = given.rt_ms if self.counts == "wall" else given.active_ms
        return None if elapsed_ms is None else elapsed_ms / 1000


# Session time: how long the session took.


@register("measures", "session_minutes")
class SessionTime(SessionMeasure):
    """Minutes from the first to the last event of the page without breaks, at most what the server saw."""

    scale: ClassVar[Scale] = "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return minutes, or None before anything was shown."""
        # Events of the server, such as a late end, are not time that the person spent.
        span_ms = page_span_ms(events)
        return None if span_ms is None else span_ms / 60_000


# Traces: what a session shows beyond its answers.


@register("measures", "actions")
class Actions(TrialMeasure):
    """How often an action occurred in a trial: earlier material opened, focus lost, a dial turned."""

    scale: ClassVar[Scale] = "count"
    action: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Count the actions; none is 0 and not missing."""
        return float(sum(isinstance(event, Interacted) and event.action == self.action for event in events))


@register("measures", "tries")
class Tries(SessionMeasure):
    """How many attempts a gate took."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "count"
    block: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the number of the last attempt, or None if the gate was never reached."""
        tries = [e.try_number for e in events if isinstance(e, GateDecided) and e.block_id == self.block]
        return float(tries[-1]) if tries else None


@register("measures", "straight_lining")
class StraightLining(SessionMeasure):
    """The share of a session's answers to one question that are its most frequent answer; 1 is a straight line."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "bounded"
    question: str

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None with fewer than two answers."""
        n_by_answer = Counter(
            # Canonical JSON makes lists and objects countable.
            canonical_json(event.response[self.question])
            for event in events
            if isinstance(event, ResponseGiven) and self.question in event.response
        )
        n = n_by_answer.total()
        return n_by_answer.most_common(1)[0][1] / n if n > 1 else None


# Learning: how much better or worse the last questions went than the first.


@register("measures", "learning")
class Learning(SessionMeasure):
    """Any trial measure in the last questions minus the first; the middle question of an odd number is left out.

    Of N questions, the first and the last (N - 1) / 2 are compared: 2 of 5, 3 of 7. For the learning in each stage of a
    loop, give an outcome of the plan the summary `gain` and the loop's factor in `by`.
    """

    scale: ClassVar[Scale] = "continuous"
    """A difference of either sign."""
    measure: Ref = Ref(name="solved")
    n_questions: int | None = Field(default=None, ge=3, le=100_000)
    """Questions per stage, if a session has several; the differences of the stages are averaged."""

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the difference, or None with fewer than three questions."""
        measure: Measure = create("measures", self.measure)
        scores = [measure.score(step, answers) for step in _steps(events)]
        numbers = [score for score in scores if isinstance(score, float)]
        size = self.n_questions or max(len(numbers), 1)
        # An incomplete last stage has no comparable first and last questions, and is left out.
        stages = [numbers[k : k + size] for k in range(0, len(numbers) - size + 1, size)]
        gains = [difference for stage in stages if (difference := gain(stage)) is not None]
        return fmean(gains) if gains else None


def gain(values: Sequence[float]) -> float | None:
    """Return the mean of the last values minus that of the first, or None with fewer than three.

    >>> gain([0.0, 0.0, 1.0, 1.0, 1.0])
    1.0
    """
    half = (len(values) - 1) // 2
    return fmean(values[-half:]) - fmean(values[:half]) if half > 0 else None


def _steps(events: Sequence[Event]) -> list[list[Event]]:
    """Return the events of each presentation, in order."""
    steps: dict[int, list[Event]] = {}
    for event in events:
        if isinstance(event, TrialShown | Interacted | ResponseGiven):
            steps.setdefault(event.step, []).append(event)
    return [steps[number] for number in sorted(steps)]
