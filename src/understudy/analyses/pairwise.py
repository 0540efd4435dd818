"""Pairs of levels, each by its own t test, corrected for all pairs of the factor by Holm's method."""

from itertools import combinations
from typing import ClassVar

from understudy.analyses import results
from understudy.analyses.estimates import effect_estimate
from understudy.analyses.kernels.multiplicity import holm
from understudy.analyses.kernels.t_tests import t_test_paired, t_test_welch
from understudy.analyses.rows import all_groups, factor_of, levels_in, two_levels, varies_within, wide
from understudy.analyses.scales import EITHER_WAY, NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "holm_pairs")
class HolmPairs(Record):
    """Compares two levels by a paired or Welch t test whose p-value is Holm-adjusted for all pairs of the factor."""

    estimand: ClassVar[str] = "the difference of the means of two levels"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="any", n_levels="two", directions=EITHER_WAY, rows="all")
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the mean difference, first level minus second, with its own interval and the adjusted p-value."""
        results.refuse_direction(hypothesis.direction, "A test of all pairs")
        factor, pair, levels = (
            factor_of(hypothesis),
            two_levels(table, hypothesis),
            levels_in(table, hypothesis.factor or ""),
        )
        is_paired = varies_within(table, factor)
        notes: tuple[str, ...] = ()
        if is_paired:
            # People who lack a level are left out of every pair, so that all pairs are about the same people.
            cells = wide(table, factor, levels)
            groups, notes = results.columns_by_name(levels, cells.values), cells.notes
        else:
            groups = all_groups(table, hypothesis, least=2)
        test_of = t_test_paired if is_paired else t_test_welch
        others = [both for both in combinations(levels, 2) if set(both) != set(pair)]
        test = test_of(groups[pair[0]], groups[pair[1]], level=self.confidence)
        p_values = [test.p_value, *(test_of(groups[first], groups[second]).p_value for first, second in others)]
        # A pair without any spread has no p-value; it still counts as one of the tests.
        adjusted = holm([1.0 if p != p else p for p in p_values])[0]
        size = results.effect_size("d_z" if is_paired else "Cohen's d", test.d.d, test.d.interval, self.confidence)
        n_rows = groups[pair[0]].size + groups[pair[1]].size
        corrected = f"p is adjusted by Holm's method for all {len(p_values)} pairs; the interval is of this pair alone."
        if not others:
            corrected = "The factor has one pair of levels, so that p needs no adjustment."
        estimate = effect_estimate(
            test.estimate, test, name=results.difference_name(pair), statistic="t", level=self.confidence
        )
        return estimate.model_copy(
            update={
                "df": results.finite_df(test.df),
                "p_value": None if estimate.p_value is None else float(adjusted),
                "n_sessions": groups[pair[0]].size if is_paired else n_rows,
                "n_rows": n_rows,
                "effect_sizes": (size,),
                "groups": results.summaries_of({level: groups[level] for level in pair}, self.confidence),
                "details": {"p_unadjusted": results.finite(test.p_value)},
                "notes": results.notes_of(notes, results.spread_note(test.p_value), corrected),
            }
        )
