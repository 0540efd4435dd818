"""Analysis of covariance: groups of people compared at the same value of a second outcome."""

from typing import ClassVar, NamedTuple

import numpy as np

from understudy.analyses.anova_lines import anova_estimate
from understudy.analyses.kernels.factorial import Design, EffectFactors, factorial_anova
from understudy.analyses.kernels.tails import p_from_f, p_from_t, t_quantile, wald_interval
from understudy.analyses.results import (
    alternative_of,
    difference_name,
    finite,
    limits,
    notes_of,
    refuse_direction,
    summaries_of,
)
from understudy.analyses.rows import compared_levels, factor_of, groups_of, numbers, rows_of_levels, text
from understudy.analyses.scales import NUMBERS
from understudy.registry import register
from understudy.roles import Fit, Floats, Rng, Table
from understudy.schema import Estimate, Hypothesis, Record


@register("analyses", "ancova")
class Ancova(Record):
    """Compares the means of groups of people, adjusted for the outcome in `other` (the covariate)."""

    estimand: ClassVar[str] = "differences of group means among people with the same covariate"
    fit: ClassVar[Fit] = Fit(NUMBERS, factor="between", needs=frozenset({"other"}), other_scales=NUMBERS)
    confidence: float = 0.95

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the adjusted difference of two groups with its t test, or F for more groups."""
        groups = groups_of(table, hypothesis)
        factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
        if len(levels) > 2:
            refuse_direction(hypothesis.direction, "An F test of several groups")
        rows = rows_of_levels(table, factor, levels)
        covariate, values = numbers(rows, "other"), numbers(rows)
        labels = tuple(text(rows, factor))
        design = Design((labels,), (), covariate[:, None])
        if np.ptp(covariate) == 0:
            raise ValueError(f"The covariate {hypothesis.other!r} does not vary, so nothing can be adjusted for it.")
        found = factorial_anova(values[:, None], design, EffectFactors((0,)), level=self.confidence)
        estimate = anova_estimate(found.line, None, correction="none", level=self.confidence)
        if len(levels) == 2:
            estimate = self._adjusted(estimate, rows, (levels[0], levels[1]), hypothesis)
        p_slopes = _slopes_p(values, covariate, np.array(labels))
        unequal = (
            f"The slope of the covariate differs between groups (p = {p_slopes:.3f}): the adjusted difference is that at "
            "its mean and not everywhere."
        )
        return estimate.model_copy(
            update={
                "n_sessions": len(rows),
                "n_rows": len(rows),
                "groups": summaries_of(groups, self.confidence),
                "details": estimate.details | {"p_equal_slopes": finite(p_slopes)},
                "notes": notes_of(estimate.notes, unequal if p_slopes < 0.05 else ""),
            }
        )

    def _adjusted(self, line: Estimate, rows: Table, levels: tuple[str, str], hypothesis: Hypothesis) -> Estimate:
        is_first = (text(rows, factor_of(hypothesis)) == levels[0]).to_numpy(dtype=np.float64)
        covariate = numbers(rows, "other")
        design = np.column_stack([np.ones(len(rows)), is_first, covariate - covariate.mean()])
        inverse = np.linalg.pinv(design)
        # The last level's mean at the mean covariate, the first's above it, and the slope.
        adjusted, difference, slope = (float(value) for value in inverse @ numbers(rows))
        if line.p_value is None:
            return line.model_copy(update={"effect": finite(difference), "effect_name": _name(levels)})
        misfit = _misfit(numbers(rows), design)
        df = float(len(rows) - misfit.rank)
        error = float(np.linalg.norm(inverse[1])) * (misfit.squares / df) ** 0.5
        t = difference / error
        return line.model_copy(
            update={
                "effect": difference,
                "effect_name": _name(levels),
                "interval": limits(wald_interval(difference, t_quantile(df, self.confidence) * error), self.confidence),
                "statistic": t,
                "statistic_name": "t",
                "df": (df,),
                "p_value": p_from_t(t, df, alternative_of(hypothesis.direction)),
                "details": {
                    "standard_error": error,
                    f"adjusted_mean_{levels[0]}": adjusted + difference,
                    f"adjusted_mean_{levels[1]}": adjusted,
                    "slope": slope,
                },
            }
        )


def _name(levels: tuple[str, str]) -> str:
    return difference_name(levels, "adjusted mean difference")


def _slopes_p(values: Floats, covariate: Floats, labels: Floats) -> float:
    """Return the p-value of the interaction of group and covariate: whether one slope fits all groups."""
    codes = np.column_stack([(labels == label).astype(np.float64) for label in np.unique(labels)])
    centred = (covariate - covariate.mean())[:, None]
    together, apart = _misfit(values, codes, centred), _misfit(values, codes, codes * centred)
    df = (float(apart.rank - together.rank), float(len(values) - apart.rank))
    if df[0] < 1 or df[1] < 1 or not apart.squares > 0:
        return float("nan")
    return p_from_f((together.squares - apart.squares) / df[0] / (apart.squares / df[1]), df)


class _Misfit(NamedTuple):
    squares: float
    rank: int


def _misfit(values: Floats, *columns: Floats) -> _Misfit:
    """Return the squares that least squares leave; a group with one person has no slope of its own, hence the rank."""
    design = np.column_stack(columns)
    best, _, rank, _ = np.linalg.lstsq(design, values)
    return _Misfit(float(np.sum((values - design @ best) ** 2)), int(rank))
