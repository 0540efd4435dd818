"""Measures of dials: errors, directions, moves, solutions, strategies and times."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from understudy.measures.answer import TrialMeasure, last_answer, last_response
from understudy.measures.dial_paths import DialMeasure, DialPath, OfDials, Visit, dial_path, gaps_s
from understudy.registry import register
from understudy.schema import Event, Interacted, Json, Scale, canonical_json

PAUSE_S = 3.0
"""The active clock counts pauses up to this length; the legacy clock ignores pauses this long or longer."""


@register("measures", "error_auc")
class ErrorAuc(DialMeasure):
    """The squared difference from the target, summed over values and over seconds, until the end of the question."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "continuous"
    """A sum without an upper limit."""
    reading: Literal["step", "trapezoid", "active", "legacy", "relative"] = "step"
    """step: the error lasts until the next snapshot; trapezoid: it changes evenly in between; active: as step, with
    pauses cut to three seconds; legacy: as step, without pauses of three seconds or more; relative: step over the
    first error, in seconds."""

    def of_path(self, path: DialPath) -> float | None:
        """Return the area, or None if the question ended at once."""
        if len(path.snapshots) < 2:
            return None
        errors, gaps = np.array([snapshot.error for snapshot in path.snapshots]), gaps_s(path.snapshots)
        match self.reading:
            case "step":
                return float(errors[:-1] @ gaps)
            case "trapezoid":
                return float((errors[:-1] + errors[1:]) / 2 @ gaps)
            case "active":
                return float(errors[:-1] @ np.minimum(gaps, PAUSE_S))
            case "legacy":
                return float(errors[:-1] @ np.where(gaps < PAUSE_S, gaps, 0.0))
            case "relative":
                return None if errors[0] == 0 else float(errors[:-1] @ gaps / errors[0])


# First direction: whether the first move of each dial was towards the target.


@register("measures", "first_direction_accuracy")
class FirstDirectionAccuracy(OfDials):
    """The share of dials whose first move was towards the target's setting; 0.5 is chance.

    Not meaningful for dials that have no effect or work the same in both directions; list these in `without`.
    """

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"
    reads: ClassVar[Literal["answers", "truth"]] = "truth"
    attribute: str = "target_code"
    """The attribute of the items that contains the code of the target."""
    at_least: float = Field(default=0.05, ge=0, lt=1)
    """How far from the target a dial must start to count, in widths."""
    without: tuple[Annotated[int, Field(le=10_000)], ...] = ()
    """Dials to leave out, counted from 0."""

    @property
    def read_facts(self) -> tuple[str, ...]:
        """The code of the target."""
        return (self.attribute,)

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if no dial counts or the target's code is unknown."""
        path = dial_path(events)
        trial_id = next((event.trial_id for event in events if isinstance(event, Interacted)), "")
        target = answers.get(trial_id, {}).get(self.attribute)
        if path is None or not isinstance(target, str):
            return None
        wanted = path.layout.offsets(np.array([json.loads(target)]) - np.array([path.snapshots[0].code]))[0]
        hits, visited = [], set(self.without)
        for visit in path.visits:
            direction = visit.moved[0].direction
            # Only the first visit of a dial counts; excluded dials are treated as visited.
            if visit.dial not in visited and direction and abs(wanted[visit.dial]) > self.at_least:
                hits.append(bool(direction * wanted[visit.dial] > 0))
            visited.add(visit.dial)
        return sum(hits) / len(hits) if hits else None


# Labels: the names people give to dials.


def labels_in(events: Sequence[Event]) -> tuple[str | None, ...] | None:
    """Return the name of each dial at the end of a question: empty if it was deleted, None if none was given.

    Return None instead of the names if the dials had no name fields.
    """
    interactions = [event for event in events if isinstance(event, Interacted)]
    start = next((event.payload for event in interactions if event.action == "question_started"), None)
    initial = None if start is None else start.get("labels")
    if not isinstance(initial, list):
        return None
    labels = [label.strip() or None if isinstance(label, str) else None for label in initial]
    for event in interactions:
        dial, label = event.payload.get("dial"), event.payload.get("label")
        # A client may send any JSON; `type` and not `isinstance`, because True is an int too.
        if event.action == "labelled" and type(dial) is int and isinstance(label, str) and 0 <= dial < len(labels):
            labels[dial] = label.strip()
    return tuple(labels)


@register("measures", "dial_labels")
class DialLabels(OfDials):
    """The names of all dials at the end of a question, as a JSON list: null if none was given, empty if it was deleted."""

    scale: ClassVar[Scale] = "nominal"
    names_dials: ClassVar[bool] = True

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> str | None:
        """Return the list, or None if there were no name fields."""
        labels = labels_in(events)
        return None if labels is None else canonical_json(list(labels))


@register("measures", "label_coverage")
class LabelCoverage(OfDials):
    """The share of dials that have a name at the end of a question."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if there were no name fields."""
        labels = labels_in(events)
        return sum(map(bool, labels)) / len(labels) if labels else None


# Moves: how often dials were reversed, left and revisited.


@register("measures", "direction_changes")
class DirectionChanges(DialMeasure):
    """How often a dial changed direction during a visit."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Count reversals within visits."""
        return float(sum(visit.n_reversals for visit in path.visits))


@register("measures", "dial_switches")
class DialSwitches(DialMeasure):
    """How often the person switched from one dial to another."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Return the number of visits minus one."""
        return float(max(len(path.visits) - 1, 0))


@register("measures", "passes")
class Passes(DialMeasure):
    """How many rounds over the dials were made; a new round begins when a dial of the current round is revisited."""

    scale: ClassVar[Scale] = "count"

    def of_path(self, path: DialPath) -> float | None:
        """Count rounds, or return None if nothing moved."""
        if not path.visits:
            return None
        passes, touched = 1, set[int]()
        for visit in path.visits:
            if visit.dial in touched:
                passes, touched = passes + 1, set()
            touched.add(visit.dial)
        return float(passes)


@register("measures", "dial_coverage")
class DialCoverage(DialMeasure):
    """The share of the dials that were touched at all."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share."""
        return len({visit.dial for visit in path.visits}) / path.n_dials


@register("measures", "scan_order")
class ScanOrder(DialMeasure):
    """The share of switches that led to a neighbouring dial."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None without a switch."""
        if len(path.visits) < 2:
            return None
        dials = [visit.dial for visit in path.visits]
        near = [abs(after - before) == 1 for before, after in pairwise(dials)]
        return sum(near) / len(near)


# Slide distance: how far the dials moved, and how directly.


@register("measures", "slide_distance")
class SlideDistance(DialMeasure):
    """How far all dials moved in total, in widths of a slider; a choice counts as one width."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "continuous"
    """A length without an upper limit."""

    def of_path(self, path: DialPath) -> float | None:
        """Return the distance in widths."""
        return path.distance


@register("measures", "path_efficiency")
class PathEfficiency(DialMeasure):
    """The distance from start to end over the distance moved; 1 is a straight path."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if nothing moved."""
        if path.distance == 0:
            return None
        # Rounding can lift the ratio just above 1.
        return min(path.net_distance / path.distance, 1.0)


# Solved: whether the dials were turned to a match.


@register("measures", "solved")
class Solved(OfDials):
    """1 if the match was found, 0 if the question was skipped; the mean is the completion rate."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "higher"
    scale: ClassVar[Scale] = "binary"
    question: str = "dials"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the outcome, or None if nothing was submitted."""
        answer = last_answer(events, self.question)
        outcome = answer.get("outcome") if isinstance(answer, dict) else None
        return float(outcome == "solved") if outcome in ("solved", "skipped") else None


# Strategy: one informed pass over the dials, hill climbing dial by dial, or undirected loops.

NEAR_BEST = 0.05
"""A visit ends at its best if its last error is this close to its lowest, as a share of the visit's range."""


@register("measures", "first_visit_share")
class FirstVisitShare(DialMeasure):
    """The share of the distance that was moved in the first visit of each dial; 1 for a single pass."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if nothing moved."""
        return _first_visit_share(path)


@register("measures", "hill_climb_share")
class HillClimbShare(DialMeasure):
    """The share of visits with a reversal, weighted by distance, that ended where the error was lowest."""

    scale: ClassVar[Scale] = "bounded"

    def of_path(self, path: DialPath) -> float | None:
        """Return the share, or None if no visit had a reversal."""
        return _hill_climb_share(path)


@register("measures", "strategy_index")
class StrategyIndex(DialMeasure):
    """From 1 (a single informed pass) to -1 (hill climbing over many passes); loops without aim are in between.

    The first-visit share minus the hill-climb share of the rest; without reversals, nothing is subtracted.
    """

    scale: ClassVar[Scale] = "continuous"
    """Continuous, from -1 to 1."""

    def of_path(self, path: DialPath) -> float | None:
        """Return the index, or None if nothing moved."""
        first = _first_visit_share(path)
        return None if first is None else first - (_hill_climb_share(path) or 0.0) * (1 - first)


def _first_visit_share(path: DialPath) -> float | None:
    total = first = 0.0
    visited: set[int] = set()
    for visit in path.visits:
        total += visit.distance
        first += visit.distance if visit.dial not in visited else 0.0
        visited.add(visit.dial)
    return first / total if total else None


def _hill_climb_share(path: DialPath) -> float | None:
    reversed_visits = [visit for visit in path.visits if visit.n_reversals and visit.distance]
    total = sum(visit.distance for visit in reversed_visits)
    return sum(visit.distance for visit in reversed_visits if _ends_at_its_best(visit)) / total if total else None


def _ends_at_its_best(visit: Visit) -> bool:
    errors = [visit.entered.error, *(snapshot.error for snapshot in visit.moved)]
    return errors[-1] - min(errors) <= NEAR_BEST * (max(errors) - min(errors))


# Times within a question with dials: to the first move, to the match, and after it.


class _TimeToAction(DialMeasure):
    scale: ClassVar[Scale] = "time"
    action: ClassVar[str]

    def of_path(self, path: DialPath) -> float | None:
        """Return seconds, or None if it never happened."""
        return path.at_s(self.action)


@register("measures", "time_to_first_move")
class TimeToFirstMove(_TimeToAction):
    """Seconds from the start of the question to the first move of a dial."""

    action: ClassVar[str] = "changed"


@register("measures", "time_to_solve")
class TimeToSolve(_TimeToAction):
    """Seconds from the start of the question to the change that made the match."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    action: ClassVar[str] = "solved"


@register("measures", "solved_response_time")
class SolvedResponseTime(OfDials):
    """Seconds from the question to the answer, of solved questions only; skipped ones have no such time."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    scale: ClassVar[Scale] = "time"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return seconds, or None if the question was skipped."""
        given = last_response(events)
        is_solved = any(isinstance(event, Interacted) and event.action == "solved" for event in events)
        return given.rt_ms / 1000 if given is not None and is_solved else None


@register("measures", "post_solve_latency")
class PostSolveLatency(DialMeasure):
    """Seconds from the match to pressing the button."""

    scale: ClassVar[Scale] = "time"

    def of_path(self, path: DialPath) -> float | None:
        """Return seconds, or None if there was no match."""
        solved, finished = path.at_s("solved"), path.at_s("finished")
        return None if solved is None or finished is None else max(finished - solved, 0.0)


@register("measures", "idle_share")
class IdleShare(TrialMeasure):
    """The share of the response time without activity."""

    scale: ClassVar[Scale] = "bounded"

    def score(self, events: Sequence[Event], answers: Mapping[str, Json]) -> float | None:
        """Return the share, or None if the page recorded no active time."""
        given = last_response(events)
        if given is None or given.active_ms is None or given.rt_ms == 0:
            return None
        return min(max(1 - given.active_ms / given.rt_ms, 0.0), 1.0)
