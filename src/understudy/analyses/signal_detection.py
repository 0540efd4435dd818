"""Signal detection and calibration: telling right from wrong, and knowing when one does."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field

from understudy.analyses.results import SHARES, YES_NO, finite_details, notes_of
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    n_participants,
    numbers,
    rows_of_levels,
    text,
    varies_within,
    yes_or_no,
)
from understudy.analyses.t_tests import OneSampleT, PairedT, WelchT
from understudy.deferred.pandas import pd
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record
from understudy.statistics.signal_detection import RateCorrection, YesCounts, calibration, sensitivity

# One score of each person (and level) from single trials, and the t test that compares or tests the scores.

Score = Callable[[Table], float | None]


class Scored(NamedTuple):
    """How trials of one person become a score, and what the score is called."""

    name: str
    score: Score
    lacking: str
    """What people without a score lack, such as 'a trial with and one without a signal'."""
    null: float = 0.0


def scored_estimate(table: Table, hypothesis: Hypothesis, scored: Scored, rng: Rng, *, level: float) -> Estimate:
    """Compare the scores of two levels, within people or between them, or test their mean against a value."""
    if hypothesis.factor is None:
        return _of_one_sample(table, hypothesis, scored, rng, level=level)
    factor = factor_of(hypothesis)
    rows = rows_of_levels(table, factor, compared_levels(table, hypothesis))
    scores = _scores(rows, scored, [factor])
    test = PairedT(confidence=level) if varies_within(rows, factor) else WelchT(confidence=level)
    estimate = test.estimate(scores, hypothesis, rng)
    name = estimate.effect_name.replace("mean difference", f"difference of mean {scored.name}")
    return _counted(estimate, rows, scores, scored).model_copy(update={"effect_name": name})


def _of_one_sample(table: Table, hypothesis: Hypothesis, scored: Scored, rng: Rng, *, level: float) -> Estimate:
    against = scored.null if hypothesis.against is None else hypothesis.against
    scores = _scores(table, scored, [])
    test = OneSampleT(confidence=level)
    estimate = test.estimate(scores, hypothesis.model_copy(update={"against": against}), rng)
    name = f"mean {scored.name} (against {against:g})"
    return _counted(estimate, table, scores, scored).model_copy(update={"effect_name": name})


def _scores(rows: Table, scored: Scored, by: list[str]) -> Table:
    keys = [text(rows, name) for name in ("participant", *by)]
    found = [(*key, scored.score(part)) for key, part in rows.groupby(keys, sort=True)]
    scores = pd.DataFrame(found, columns=["participant", *by, "value"]).dropna()
    if not len(scores):
        raise ValueError(f"Nobody has {scored.lacking}, which {scored.name} needs.")
    return scores.astype({"value": float})


def _counted(estimate: Estimate, rows: Table, scores: Table, scored: Scored) -> Estimate:
    """Count the trials behind the scores, and say who has none."""
    used = rows[text(rows, "participant").isin(set(scores["participant"]))]
    n_people = n_participants(rows)
    n_left = n_people - n_participants(scores)
    left = f"Left out: {n_left} of {n_people} participants without {scored.lacking}." if n_left else ""
    return estimate.model_copy(update={"n_rows": len(used), "notes": notes_of(left, estimate.notes)})


# Calibration of confidence: whether people are as often right as they say.

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


_MANY = 0.04
"""From this share of corrected rates on, simulated intervals miss the true difference too often."""


@register("analyses", "signal_detection")
class SignalDetection(Record):
    """Compares each person's d' or criterion between two levels, or tests its mean; `other` says where a signal was."""

    estimand: ClassVar[str] = "the mean over people of d' or the criterion, or its difference"
    fit: ClassVar[Fit] = Fit(
        YES_NO, unit="trial", factor="optional", n_levels="two", needs=frozenset({"other"}), other_scales=YES_NO
    )
    index: Literal["d_prime", "criterion"] = "d_prime"
    """d_prime: how well signal and noise are told apart; criterion: above 0, people are slow to say yes."""
    correction: RateCorrection = "log_linear"
    """What keeps rates of 0 and 1 finite: log_linear (Hautus 1995), extreme (Macmillan & Kaplan 1985), or none."""
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the difference of means, or the mean, over people, with its t test."""
        yes_or_no(table)
        yes_or_no(table.assign(value=table["other"]))
        name = "d'" if self.index == "d_prime" else "criterion c"
        finite = ", or with a rate of 0 or 1" if self.correction == "none" else ""
        scored = Scored(name, self._score, f"a trial with and one without a signal at each level{finite}")
        estimate = scored_estimate(table, hypothesis, scored, rng, level=self.confidence)
        return estimate.model_copy(update={"notes": notes_of(estimate.notes, self._ceiling(table, hypothesis))})

    def _ceiling(self, table: Table, hypothesis: Hypothesis) -> str:
        """Say how many rates a correction had to move; empty where there are few."""
        rows = table
        if hypothesis.factor is not None:
            rows = rows_of_levels(table, hypothesis.factor, compared_levels(table, hypothesis))
        by = [name for name in ("participant", hypothesis.factor, "other") if name is not None]
        rates = rows.assign(value=numbers(rows)).groupby(by, observed=True)["value"].mean()
        share = float(rates.isin([0.0, 1.0]).mean())
        if self.correction == "none" or share < _MANY:
            return ""
        return (
            f"{share:.0%} of people's rates of hits and false alarms are 0 or 1. The {self.correction} correction keeps them "
            "finite but moves d' towards 0, so that differences come out too small, and a criterion that differs between "
            "levels can look like a difference in d'. More trials per person and level, or logistic_mixed, avoid this."
        )

    def _score(self, rows: Table) -> float | None:
        is_yes, is_signal = numbers(rows), numbers(rows, "other") == 1
        n_signals = int(is_signal.sum())
        if n_signals in (0, len(rows)):
            return None
        counts = YesCounts(
            [is_yes[is_signal].sum()], [n_signals], [is_yes[~is_signal].sum()], [int((~is_signal).sum())]
        )
        found = sensitivity(counts, correction=self.correction)
        value = float(found.d_prime[0] if self.index == "d_prime" else found.criterion[0])
        # Uncorrected rates of 0 and 1 are infinitely far from the middle.
        return value if np.isfinite(value) else None
