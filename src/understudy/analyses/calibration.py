"""Calibration of confidence: whether people are as often right as they say."""

from typing import ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from understudy.analyses.kernels.calibration import calibration
from understudy.analyses.person_scores import Scored, scored_estimate
from understudy.analyses.results import finite_details, notes_of
from understudy.analyses.rows import compared_levels, numbers, rows_of_levels, yes_or_no
from understudy.analyses.scales import SHARES, YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

CalibrationIndex: TypeAlias = Literal["overconfidence", "brier", "ece", "discrimination"]
_NAMES: dict[CalibrationIndex, str] = {
    "overconfidence": "overconfidence",
    "brier": "Brier score",
    "ece": "expected calibration error",
    "discrimination": "discrimination (AUROC)",
}


@register("analyses", "calibration")
class ConfidenceCalibration(Record):
    """Compares a score of confidence between two levels, or tests its mean; `other` is the confidence, 0 to 1."""

    estimand: ClassVar[str] = "the mean over people of a score of confidence, or its difference"
    index: CalibrationIndex = "overconfidence"
    """overconfidence: confidence less share right; brier: squared error; ece: gap within bins; discrimination: AUROC."""
    n_bins: int = Field(default=10, ge=2, le=1000)
    """Bins of the expected calibration error."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: right or wrong on single trials, with a confidence in `other`."""
        # A Brier score and an ECE cannot be below 0, so a test against 0 is only of use for a difference.
        is_signed = self.index in ("overconfidence", "discrimination")
        return Fit(
            YES_NO,
            unit="trial",
            factor="optional" if is_signed else "any",
            n_levels="two",
            needs=frozenset({"other"}),
            other_scales=SHARES,
        )

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference of means, or the mean, over people, with its t test; details are of all trials."""
        yes_or_no(table)
        scored = Scored(
            _NAMES[self.index],
            self._score,
            "a right and a wrong answer at each level" if self.index == "discrimination" else "an answer",
            null=0.5 if self.index == "discrimination" else 0.0,
        )
        estimate = scored_estimate(table, hypothesis, scored, rng, level=self.confidence)
        if hypothesis.factor is not None:
            table = rows_of_levels(table, hypothesis.factor, compared_levels(table, hypothesis))
        pooled = calibration(numbers(table, "other"), numbers(table), n_bins=self.n_bins)
        details = {
            "pooled_brier": pooled.brier,
            "pooled_overconfidence": pooled.overconfidence,
            "pooled_ece": pooled.ece,
            "pooled_discrimination": pooled.discrimination,
            "share_right": pooled.accuracy,
            "mean_confidence": pooled.mean_confidence,
        }
        return estimate.model_copy(
            update={
                "details": estimate.details | finite_details(details),
                "notes": notes_of(estimate.notes, self._few_answers(estimate)),
            }
        )

    def _score(self, rows: Table) -> float | None:
        found = calibration(numbers(rows, "other"), numbers(rows), n_bins=self.n_bins)
        value = float(getattr(found, self.index))
        return None if np.isnan(value) else value

    def _few_answers(self, estimate: Estimate) -> str:
        n_cells = estimate.n_sessions * max(1, len(estimate.groups))
        per_bin = estimate.n_rows / n_cells / self.n_bins
        if self.index != "ece" or per_bin >= _ENOUGH_PER_BIN:
            return ""
        return (
            f"People have about {per_bin:.1f} answers per bin: the expected calibration error of so few is too large "
            "for everybody, and is only comparable between equal numbers of answers."
        )


_ENOUGH_PER_BIN = 10
