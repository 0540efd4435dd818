"""Measuring: the study's measures over the events of a session, trial by trial and as a whole."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from understudy.measures.learning import gain
from understudy.registry import create
from understudy.roles import Measure, ReadsTruth
from understudy.schema import AnswerKey, Event, Levels, MeasureUse, Ref, Study, Summary, blocks_in

Score = float | str | None

_SUMMARIES: dict[Summary, Callable[[list[float]], float | None]] = {
    "mean": fmean,
    "sum": sum,
    "median": median,
    "min": min,
    "max": max,
    "count": lambda values: float(len(values)),
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "gain": gain,
}


class StepEvents(NamedTuple):
    """The events of one presentation, and where it stood."""

    block_id: str
    events: Sequence[Event]
    levels: Levels = {}
    try_number: int = 1
    position: int = 0
    """Place among the presentations of its block, counted from 0."""


class _Used(NamedTuple):
    use: MeasureUse
    measure: Measure
    blocks: frozenset[str]


class Measuring:
    """Scores what the study declares."""

    def __init__(self, study: Study, key: AnswerKey) -> None:
        main = frozenset(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
        self.answers = key.answers
        self._truth = key.truth
        self._correct: Measure = create("measures", Ref(name="correct"))
        self.used = tuple(
            _Used(use, create("measures", use.measure), frozenset(use.blocks) or main) for use in study.measures
        )
        self.trial_level = tuple(one for one in self.used if one.measure.unit == "trial" and one.use.summary is None)
        self._session_level = {
            one.use.name: one for one in self.used if one.measure.unit == "session" or one.use.summary is not None
        }

    @property
    def session_names(self) -> tuple[str, ...]:
        """The measures that give one number per session."""
        return tuple(self._session_level)

    def trial_scores(self, step: StepEvents) -> dict[str, Score]:
        """Score one presentation by every measure of trials that counts in its block."""
        return {
            one.use.name: self._scored(one.measure, step.events)
            for one in self.trial_level
            if step.block_id in one.blocks
        }

    def session_scores(
        self, steps: Iterable[StepEvents], events: Sequence[Event], names: Iterable[str] | None = None
    ) -> dict[str, Score]:
        """Score a session by all its session measures, or by those named."""
        wanted = self._session_level if names is None else names
        held = list(steps)
        return {name: self._session_score(self._session_level[name], held, events) for name in wanted}

    def block_score(self, name: str | None, steps: Iterable[StepEvents]) -> float | None:
        """Return the mean of a trial measure over some presentations; share correct when none is named."""
        measure = self._named(name)
        scores = [self._scored(measure, step.events) for step in steps]
        numbers = [score for score in scores if isinstance(score, float)]
        return fmean(numbers) if numbers else None

    def _scored(self, measure: Measure, events: Sequence[Event]) -> Score:
        # Most measures compare with the key; one that says so reads what is true of the items instead.
        is_truth = isinstance(measure, ReadsTruth) and measure.reads == "truth"
        return measure.score(events, self._truth if is_truth else self.answers)

    def _named(self, name: str | None) -> Measure:
        if name is None:
            return self._correct
        return next(one.measure for one in self.used if one.use.name == name)

    def _session_score(self, one: _Used, steps: list[StepEvents], events: Sequence[Event]) -> Score:
        if one.use.summary is None:
            return self._scored(one.measure, _within(events, steps, one) if one.use.blocks else events)
        scores = [self._scored(one.measure, step.events) for step in steps if step.block_id in one.blocks]
        numbers = [score for score in scores if isinstance(score, float)]
        found = _SUMMARIES[one.use.summary](numbers) if numbers else None
        return None if found is None else float(found)


def _within(events: Sequence[Event], steps: list[StepEvents], one: _Used) -> list[Event]:
    """Keep what happened in the measure's blocks, and everything the engine and the desk added."""
    kept = [event for step in steps if step.block_id in one.blocks for event in step.events]
    return kept + [event for event in events if event.stream != "page"]
