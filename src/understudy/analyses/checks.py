"""Checks of what analyses assume, the branch points of declared decision trees."""

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
    levels_in,
    numbers,
    rows_of_levels,
    text,
    two_levels,
    wide,
)
from understudy.registry import register
from understudy.roles import Checked, Floats, Table
from understudy.schema import Hypothesis, Record


@register("checks", "shapiro_wilk")
class ShapiroWilk(Record):
    """Asks whether values are normal; holds if no group speaks against it."""

    of: Literal["groups", "residuals", "differences"] = "groups"
    """groups: each group by itself; residuals: all values less their group's mean; differences: of pairs."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return the smallest W and the smallest p over what was tested; without spread nothing is normal."""
        found = [shapiro_wilk(values) for values in self._tested(table, hypothesis)]
        if any(math.isnan(one.p_value) for one in found):
            return Checked(None, None, holds=False)
        p_value = min(one.p_value for one in found)
        return Checked(min(one.statistic for one in found), p_value, holds=p_value >= alpha)

    def _tested(self, table: Table, hypothesis: Hypothesis) -> list[Floats]:
        if self.of == "differences":
            factor, levels = factor_of(hypothesis), two_levels(table, hypothesis)
            pairs = wide(rows_of_levels(table, factor, levels), factor, levels).values
            return [pairs[:, 0] - pairs[:, 1]]
        groups = _groups(table, hypothesis)
        return groups if self.of == "groups" else [np.concatenate([values - values.mean() for values in groups])]


@register("checks", "levene")
class Levene(Record):
    """Asks whether groups vary alike."""

    centre: Literal["mean", "median"] = "median"
    """median is Brown and Forsythe's form, mean is Levene's own."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return F and p; where deviations are constant there is no test, and equal variances decide."""
        groups = _groups(table, hypothesis)
        found = levene(groups, centre=self.centre)
        if math.isnan(found.p_value):
            spreads = [float(values.var()) for values in groups]
            return Checked(None, None, holds=bool(np.allclose(spreads, spreads[0], rtol=1e-9)))
        holds = found.p_value >= alpha
        return Checked(finite(found.statistic), finite(found.p_value), holds=holds)


@register("checks", "mauchly")
class Mauchly(Record):
    """Asks whether differences between the levels of a within-person factor vary alike: sphericity."""

    def check(self, table: Table, hypothesis: Hypothesis, alpha: float) -> Checked:
        """Return W and p; two levels are always spherical."""
        within = hypothesis.crossed_with
        if within is None:
            factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
            cells = wide(rows_of_levels(table, factor, levels), factor, levels)
            found = repeated_measures_anova(cells.values).sphericity
        else:
            levels = levels_in(table, within)
            cells = wide(table, within, levels)
            people = groups_by_person(table, factor_of(hypothesis))
            found = mixed_anova(cells.values, [people[unit] for unit in cells.units]).sphericity
        if len(levels) == 2:
            return Checked(None, None, holds=True)
        if math.isnan(found.mauchly_p):
            raise ValueError(
                f"Mauchly's test needs differences that vary and more people than levels; there are "
                f"{len(cells.units)} complete participants and {len(levels)} levels."
            )
        return Checked(found.mauchly_w, found.mauchly_p, holds=found.mauchly_p >= alpha)


def _groups(table: Table, hypothesis: Hypothesis) -> list[Floats]:
    """Return the values of each cell of the compared factors, or all values."""
    factors = [name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None]
    if hypothesis.factor is not None:
        table = rows_of_levels(table, hypothesis.factor, compared_levels(table, hypothesis))
    if not factors:
        return [numbers(table)]
    cells = table.groupby([text(table, name) for name in factors], sort=True)
    return [numbers(cell) for _, cell in cells]
