"""Error AUC: how far from the target the picture was, and for how long."""

from typing import ClassVar, Literal

import numpy as np

from understudy.measures.dials.measure import DialMeasure
from understudy.measures.dials.paths import DialPath, gaps_s
from understudy.registry import register
from understudy.schema import Scale

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
