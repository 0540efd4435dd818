"""Signal detection: how well people tell signal from noise, and how readily they say yes."""

from typing import ClassVar, Literal

import numpy as np

from understudy.analyses.kernels.signal_detection import RateCorrection, YesCounts, sensitivity
from understudy.analyses.person_scores import Scored, scored_estimate
from understudy.analyses.rows import numbers, yes_or_no
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "signal_detection")
class SignalDetection(Record):
    """Compares each person's d' or criterion between two levels, or tests its mean; `other` says where a signal was."""

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
        return scored_estimate(table, hypothesis, scored, rng, level=self.confidence)

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
