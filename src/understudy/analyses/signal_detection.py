"""Signal detection: how well people tell signal from noise, and how readily they say yes."""

from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.kernels.signal_detection import RateCorrection, YesCounts, sensitivity
from understudy.analyses.person_scores import Scored, scored_estimate
from understudy.analyses.results import notes_of
from understudy.analyses.rows import compared_levels, numbers, rows_of_levels, yes_or_no
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record

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
