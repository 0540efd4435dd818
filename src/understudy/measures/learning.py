"""Learning: how much better or worse the last questions went than the first."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import ClassVar

from pydantic import Field

from understudy.measures.measured_unit import SessionMeasure
from understudy.registry import create, register
from understudy.roles import Measure
from understudy.schema import Event, Interacted, Json, Ref, ResponseGiven, Scale, TrialShown


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
