"""Error AUC: how much difference from the target somebody looked at, and for how long."""

from typing import ClassVar, Literal

import numpy as np

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath, gaps_s
from understudy.registry import register
from understudy.schema import Scale

PAUSE_S = 3.0
"""Pauses count up to here on the active clock, and not at all from here on the legacy clock."""


@register("measures", "error_auc")
class ErrorAuc(DialMeasure):
    """The squared difference from the target, summed over values and over seconds, to the end of the question."""

    better: ClassVar[Literal["higher", "lower", "neither"]] = "lower"
    reading: Literal["step", "trapezoid", "active", "legacy", "relative"] = "step"
    """step: the error stands until the next snapshot; trapezoid: it changes evenly in between; active: as step,
    pauses up to three seconds; legacy: as step, without pauses of three seconds or more; relative: step over the
    first error, in seconds."""

    @property
    def scale(self) -> Scale:
        """A sum without an upper end."""
        return "continuous"

    def of_path(self, path: DialPath) -> float | None:
        """Return the area, or None where the question ended at once."""
        if len(path.snapshots) < 2:
            return None
        errors, gaps = np.array([one.error for one in path.snapshots]), gaps_s(path.snapshots)
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
