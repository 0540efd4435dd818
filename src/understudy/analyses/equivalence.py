"""Equivalence and non-inferiority by two one-sided tests, of means and of ranks."""

from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from understudy.analyses.results import (
    NUMBERS,
    RANKED,
    columns_by_name,
    difference_name,
    finite,
    finite_df,
    limits,
    notes_of,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import TwoSamples, groups_of, level_pair, numbers_of_people, two_samples, varies_within
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record
from understudy.statistics.distributions import Alternative
from understudy.statistics.hodges_lehmann import Shift
from understudy.statistics.ranks import RankMethod, rank_sum_test, signed_rank_test
from understudy.statistics.t_tests import (
    BoundUnits,
    Equivalence,
    equivalence_independent,
    equivalence_one_sample,
    equivalence_paired,
)

# Bounds: what all tests of equivalence are told.


class Bounds(Record):
    """The smallest and largest effect that is too small to matter, and the level of the tests."""

    low: float
    high: float
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The interval of the effect has level 1 - 2 alpha."""
    confidence: float = 0.95
    """The level of the intervals of groups."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        if not self.low < self.high:
            raise ValueError(f"low is {self.low:g} and high is {self.high:g}; low must be the smaller.")
        return self


@register("analyses", "tost")
class Tost(Bounds):
    """Tests that a mean, or a difference of two means, lies between two bounds."""

    estimand: ClassVar[str] = "the difference of means, or a mean, over people"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="optional", n_levels="two", directions=frozenset({"equivalent"}))
    units: BoundUnits = "raw"
    """raw: bounds in the outcome's unit; d: in standard deviations, of the differences for paired data."""
    variances: Literal["welch", "pooled"] = "welch"
    """For two independent groups of people."""

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean or difference; p is the larger of the two one-sided p-values."""
        if hypothesis.factor is None:
            return self._one_sample(table, hypothesis.against or 0.0)
        if hypothesis.against is not None:
            raise ValueError("An equivalence test compares two levels or takes a value in `against`, not both.")
        pair = level_pair(table, hypothesis)
        levels = pair.levels
        if varies_within(pair.rows, pair.factor):
            pairs = pair.wide()
            first, second = pairs.values.T
            test = equivalence_paired(first, second, (self.low, self.high), units=self.units, alpha=self.alpha)
            groups, n_people, notes = columns_by_name(levels, pairs.values), len(pairs.units), pairs.notes
        else:
            groups, notes = groups_of(table, hypothesis, least=2 if self.variances == "welch" else 1), ()
            test = equivalence_independent(
                groups[levels[0]],
                groups[levels[1]],
                (self.low, self.high),
                variances=self.variances,
                units=self.units,
                alpha=self.alpha,
            )
            n_people = sum(values.size for values in groups.values())
        estimate = self._estimate(test, groups, notes)
        return estimate.model_copy(update={"effect_name": difference_name(levels), "n_sessions": n_people})

    def _one_sample(self, table: Table, null: float) -> Estimate:
        values = numbers_of_people(table)
        test = equivalence_one_sample(values - null, (self.low, self.high), units=self.units, alpha=self.alpha)
        estimate = self._estimate(test, {"all": values}, ())
        name = f"mean minus {null:g}" if null else "mean"
        return estimate.model_copy(update={"effect_name": name})

    def _estimate(self, test: Equivalence, groups: dict[str, Floats], notes: tuple[str, ...]) -> Estimate:
        level = 1 - 2 * self.alpha
        n = sum(values.size for values in groups.values())
        # The weaker of the two one-sided tests decides, so its statistic is reported.
        is_low_weaker = test.p_low >= test.p_high
        return Estimate(
            effect=finite(test.estimate),
            effect_name="mean",
            null_value=0.0,
            interval=limits(test.interval, level),
            statistic=finite(test.statistic_low if is_low_weaker else test.statistic_high),
            statistic_name="t",
            df=finite_df(test.df),
            p_value=finite(test.p_value),
            n_sessions=n,
            n_rows=n,
            groups=summaries_of(groups, self.confidence),
            details={
                "lower_bound": test.bounds.low,
                "upper_bound": test.bounds.high,
                "p_above_lower_bound": finite(test.p_low),
                "p_below_upper_bound": finite(test.p_high),
                "standard_error": finite(test.standard_error),
            },
            notes=notes_of(notes, spread_note(test.p_value)),
        )


# Equivalence by ranks: whether the shift between two levels is too small to matter, for ratings and skewed numbers.


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
