"""Equivalence by two one-sided t tests: whether the effect is too small to matter."""

from typing import ClassVar, Literal

from understudy.analyses.bounds import Bounds
from understudy.analyses.kernels.equivalence import (
    BoundUnits,
    Equivalence,
    equivalence_independent,
    equivalence_one_sample,
    equivalence_paired,
)
from understudy.analyses.results import (
    columns_by_name,
    difference_name,
    finite,
    finite_df,
    limits,
    notes_of,
    spread_note,
    summaries_of,
)
from understudy.analyses.rows import (
    groups_of,
    level_pair,
    numbers_of_people,
    varies_within,
)
from understudy.analyses.scales import NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis


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
