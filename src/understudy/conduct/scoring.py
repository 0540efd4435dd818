"""Score a session by the study's measures, trial by trial and as a whole."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from math import isfinite
from numbers import Real
from statistics import fmean, median
from typing import NamedTuple

from understudy.errors import UnderstudyError
from understudy.measures.behaviour import gain
from understudy.registry import create, failure_of_another
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


def _required_score(measure: Measure, score: object) -> Score:
    """Return what a measure of another package gave as a number or a text, or refuse it."""
    if score is None or (isinstance(score, str) and measure.scale == "nominal"):
        return score
    # Numbers of NumPy are numbers too; a huge one of Python may be too large for any other.
    with suppress(OverflowError):
        if isinstance(score, Real) and isfinite(number := float(score)):
            return number
    raise UnderstudyError(
        f"The measure {type(measure).__module__}.{type(measure).__qualname__} gives {str(score)[:40]!r} "
        f"({type(score).__name__}) on the scale {measure.scale!r}; a score is a finite number, a text on the scale 'nominal', "
        "or None. Correct its package, update it or uninstall it."
    )


class StepEvents(NamedTuple):
    """The events of one trial, and its position in the session."""

    block_id: str
    events: Sequence[Event]
    levels: Levels = {}
    try_number: int = 1
    position: int = 0
    """Position among the trials of its block, counted from 0."""


class _DeclaredMeasure(NamedTuple):
    use: MeasureUse
    measure: Measure
    blocks: frozenset[str]
    by_level: dict[str, Measure]
    """The measure for each question that it is taken over; empty for a measure of whole trials or sessions."""

    @property
    def readings(self) -> tuple[Measure, ...]:
        """The measure, or one for each question."""
        return tuple(self.by_level.values()) or (self.measure,)


class QuestionScores(NamedTuple):
    """The scores of one question of a trial."""

    factor: str
    level: str
    scores: dict[str, Score]


class Scorer:
    """Computes the measures that a study declares."""

    def __init__(self, study: Study, key: AnswerKey) -> None:
        main = frozenset(block.block_id for block in blocks_in(study.flow) if block.purpose == "main")
        self.answers = key.answers
        self._truth = key.truth
        self._correct: Measure = create("measures", Ref(name="correct"))
        self.used = tuple(
            _DeclaredMeasure(
                use, create("measures", use.ref), frozenset(use.blocks) or main, _measures_by_level(study, use)
            )
            for use in study.measures
        )
        # Most measures compare answers with the key; one that reads "truth" gets the attributes of the items. Asked once
        # per kind: asking a protocol takes longer than most measures do.
        self._truth_readers = frozenset(
            type(scored.measure)
            for scored in self.used
            if isinstance(scored.measure, ReadsTruth) and scored.measure.reads == "truth"
        )
        self.trial_level = tuple(
            scored
            for scored in self.used
            if scored.measure.unit == "trial" and scored.use.summary is None and scored.use.over is None
        )
        self._question_factors = {factor.name: factor for factor in study.factors if factor.scope == "question"}
        self._of_questions = tuple(scored for scored in self.used if scored.use.over and scored.use.summary is None)
        self._session_level = {
            scored.use.name: scored
            for scored in self.used
            if scored.measure.unit == "session" or scored.use.summary is not None
        }

    def trial_scores(self, step: StepEvents) -> dict[str, Score]:
        """Return the scores of one trial by every trial measure that applies to its block."""
        return {
            scored.use.name: self._scored(scored.measure, step.events)
            for scored in self.trial_level
            if step.block_id in scored.blocks
        }

    def question_scores(self, step: StepEvents, asked: Collection[str]) -> list[QuestionScores]:
        """Return the scores of each asked question that is a level of a factor, by every measure over it."""
        return [
            QuestionScores(
                factor.name,
                level,
                {
                    scored.use.name: self._scored(scored.by_level[level], step.events)
                    for scored in self._of_questions
                    if scored.use.over == factor.name and step.block_id in scored.blocks
                },
            )
            for factor in self._question_factors.values()
            for level in factor.levels
            if level in asked
        ]

    def session_scores(
        self, steps: Iterable[StepEvents], events: Sequence[Event], names: Iterable[str] | None = None
    ) -> dict[str, Score]:
        """Return the scores of a session by all session measures, or by those named."""
        chosen = self._session_level if names is None else names
        all_steps = list(steps)
        return {name: self._session_score(self._session_level[name], all_steps, events) for name in chosen}

    def counted(self, steps: Iterable[StepEvents]) -> dict[str, int]:
        """Return of how many answers each sum of a yes-or-no measure counts those with a yes."""
        all_steps = list(steps)
        return {
            name: len(numbers)
            for name, scored in self._session_level.items()
            if scored.use.summary == "sum"
            and scored.measure.scale == "binary"
            and (numbers := self._numbers(scored, all_steps))
        }

    def block_score(self, name: str | None, steps: Iterable[StepEvents]) -> float | None:
        """Return the mean of a trial measure over the steps, or the share of correct answers if none is named."""
        measure = self._named(name)
        scores = [self._scored(measure, step.events) for step in steps]
        numbers = [score for score in scores if isinstance(score, float)]
        return fmean(numbers) if numbers else None

    def _scored(self, measure: Measure, events: Sequence[Event]) -> Score:
        known = self._truth if type(measure) in self._truth_readers else self.answers
        if type(measure).__module__.startswith("understudy."):
            return measure.score(events, known)
        try:
            return _required_score(measure, measure.score(events, known))
        except Exception as error:
            # Not to be taken for a session that cannot be read.
            failure = failure_of_another(error)
            if failure is None:
                raise
            raise failure from error

    def _named(self, name: str | None) -> Measure:
        if name is None:
            return self._correct
        return next(scored.measure for scored in self.used if scored.use.name == name)

    def _session_score(self, scored: _DeclaredMeasure, steps: list[StepEvents], events: Sequence[Event]) -> Score:
        if scored.use.summary is None:
            return self._scored(scored.measure, _within(events, steps, scored) if scored.use.blocks else events)
        numbers = self._numbers(scored, steps)
        summary = _SUMMARIES[scored.use.summary](numbers) if numbers else None
        return None if summary is None else float(summary)

    def _numbers(self, scored: _DeclaredMeasure, steps: list[StepEvents]) -> list[float]:
        scores = [
            self._scored(measure, step.events)
            for step in steps
            if step.block_id in scored.blocks
            for measure in scored.readings
        ]
        return [score for score in scores if isinstance(score, float)]


def _measures_by_level(study: Study, use: MeasureUse) -> dict[str, Measure]:
    if use.over is None:
        return {}
    return {level: create("measures", use.ref_at(level)) for level in study.factor(use.over).levels}


def _within(events: Sequence[Event], steps: list[StepEvents], scored: _DeclaredMeasure) -> list[Event]:
    """Return the page events of the measure's blocks, and all events of the engine and the desk."""
    page_events = [event for step in steps if step.block_id in scored.blocks for event in step.events]
    return page_events + [event for event in events if event.stream != "page"]
