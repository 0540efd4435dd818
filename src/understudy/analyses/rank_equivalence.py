"""Equivalence by ranks: whether the shift between two levels is too small to matter, for ratings and skewed numbers."""

from typing import ClassVar, NamedTuple

import numpy as np

from understudy.analyses.bounds import Bounds
from understudy.analyses.kernels.hodges_lehmann import Shift
from understudy.analyses.kernels.rank_sum import RankMethod, rank_sum_test
from understudy.analyses.kernels.signed_rank import signed_rank_test
from understudy.analyses.kernels.tails import Alternative
from understudy.analyses.results import difference_name, finite, limits, notes_of
from understudy.analyses.scales import RANKED
from understudy.analyses.two_samples import TwoSamples, two_samples
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis


class _ShiftTest(NamedTuple):
    z: float
    p_value: float
    shift: Shift


@register("analyses", "rank_tost")
class RankTost(Bounds):
    """Tests by ranks that the shift between two levels lies between two bounds, in the outcome's unit."""

    estimand: ClassVar[str] = "the shift between two levels (the median of differences)"
    fit: ClassVar[Fit] = Fit(RANKED, factor="any", n_levels="two", directions=frozenset({"equivalent"}))
    method: RankMethod = "normal"
    continuity: bool = True
    """Whether the normal p-values have the continuity correction."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the Hodges–Lehmann shift; p is the larger of the two one-sided p-values of shifted values."""
        samples = two_samples(table, hypothesis)
        above, below = self._test(samples, self.low, "greater"), self._test(samples, self.high, "less")
        shift = self._test(samples, 0.0, "two-sided").shift
        weaker = above if above.p_value >= below.p_value else below
        # A shift of all values by the bound leaves no difference where nothing varies and the bound is met.
        is_unknown = bool(np.isnan(above.p_value) or np.isnan(below.p_value))
        is_constant = np.ptp(np.concatenate([samples.first, samples.second])) == 0
        return Estimate(
            effect=finite(shift.estimate),
            effect_name=difference_name(samples.levels, "Hodges–Lehmann shift"),
            null_value=0.0,
            interval=limits(shift.interval, shift.level),
            statistic=None if is_constant else finite(weaker.z),
            statistic_name="z",
            p_value=None if is_unknown or is_constant else max(above.p_value, below.p_value),
            n_sessions=samples.n_people,
            n_rows=samples.n_rows,
            groups=samples.summaries(self.confidence),
            details={
                "lower_bound": self.low,
                "upper_bound": self.high,
                "p_above_lower_bound": finite(above.p_value),
                "p_below_upper_bound": finite(below.p_value),
            },
            notes=notes_of(samples.notes, "No test: all values are equal." if is_unknown or is_constant else ""),
        )

    def _test(self, samples: TwoSamples, bound: float, alternative: Alternative) -> _ShiftTest:
        test_of = signed_rank_test if samples.is_paired else rank_sum_test
        test = test_of(
            samples.first - bound,
            samples.second,
            method=self.method,
            continuity=self.continuity,
            alternative=alternative,
            level=1 - 2 * self.alpha,
        )
        return _ShiftTest(test.z, test.p_value, test.shift)
