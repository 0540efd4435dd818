"""Checks of the assumptions of analyses, used as branch points of declared decision trees."""

import math
from typing import Literal

import numpy as np

from understudy.analyses.kernels.assumptions import levene, shapiro_wilk
from understudy.analyses.kernels.mixed_anova import mixed_anova
from understudy.analyses.kernels.rm_anova import repeated_measures_anova
from understudy.analyses.mixed_anova import groups_by_person
from understudy.analyses.results import finite
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    level_pair,
    levels_in,
    numbers,
    rows_of_levels,
    text,
    wide,
)
from understudy.registry import register
from understudy.roles import Checked, Floats, Table
from understudy.schema import Hypothesis, Record


@register("checks", "shapiro_wilk")
class ShapiroWilk(Record):
    """Checks whether values are normal; holds if no group is significantly non-normal."""

    of: Literal["groups", "residuals", "differences"] = "groups"
    """groups: each group separately; residuals: all values minus their group's mean; differences: of pairs."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return the smallest W and the smallest p of all tests; values without spread do not count as normal."""
        tests = [shapiro_wilk(values) for values in self._tested(table, hypothesis)]
        if any(math.isnan(test.p_value) for test in tests):
            return Checked(None, None, holds=False)
        p_value = min(test.p_value for test in tests)
        return Checked(min(test.statistic for test in tests), p_value, holds=p_value >= alpha)

    def _tested(self, table: Table, hypothesis: Hypothesis) -> list[Floats]:
        if self.of == "differences":
            pairs = level_pair(table, hypothesis).wide().values
            return [pairs[:, 0] - pairs[:, 1]]
        groups = _groups(table, hypothesis)
        return groups if self.of == "groups" else [np.concatenate([values - values.mean() for values in groups])]


@register("checks", "levene")
class Levene(Record):
    """Checks whether groups have equal variances."""

    centre: Literal["mean", "median"] = "median"
    """median is Brown and Forsythe's form, mean is Levene's original."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return F and p; if deviations are constant, there is no test and the variances are compared directly."""
        groups = _groups(table, hypothesis)
        test = levene(groups, centre=self.centre)
        if math.isnan(test.p_value):
            spreads = [float(values.var()) for values in groups]
            return Checked(None, None, holds=bool(np.allclose(spreads, spreads[0], rtol=1e-9)))
        holds = test.p_value >= alpha
        return Checked(finite(test.statistic), finite(test.p_value), holds=holds)


@register("checks", "mauchly")
class Mauchly(Record):
    """Checks sphericity: whether the differences between levels of a within-person factor have equal variances."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return W and p; two levels are always spherical."""
        within = hypothesis.crossed_with
        if within is None:
            factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
            cells = wide(rows_of_levels(table, factor, levels), factor, levels)
            sphericity = repeated_measures_anova(cells.values).sphericity
        else:
            levels = levels_in(table, within)
            cells = wide(table, within, levels)
            people = groups_by_person(table, factor_of(hypothesis))
            sphericity = mixed_anova(cells.values, [people[unit] for unit in cells.units]).sphericity
        if len(levels) == 2:
            return Checked(None, None, holds=True)
        if math.isnan(sphericity.mauchly_p):
            raise ValueError(
                f"Mauchly's test needs differences that vary and more people than levels; there are "
                f"{len(cells.units)} complete participants and {len(levels)} levels."
            )
        return Checked(sphericity.mauchly_w, sphericity.mauchly_p, holds=sphericity.mauchly_p >= alpha)


def _groups(table: Table, hypothesis: Hypothesis) -> list[Floats]:
    """Return the values of each cell of the compared factors, or all values."""
    factors = [name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None]
    if hypothesis.factor is not None:
        table = rows_of_levels(table, hypothesis.factor, compared_levels(table, hypothesis))
    if not factors:
        return [numbers(table)]
    cells = table.groupby([text(table, name) for name in factors], sort=True)
    return [numbers(cell) for _, cell in cells]
