"""Checks of the assumptions of analyses, used as branch points of declared decision trees."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from understudy.analyses.anova import groups_by_person
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
from understudy.deferred.scipy import special
from understudy.registry import register
from understudy.roles import Checked, Floats, Table
from understudy.schema import DiagnosticPanel, Hypothesis, Record
from understudy.statistics.arrays import Floats as arrays_Floats
from understudy.statistics.assumptions import (
    binned_residuals,
    levene,
    normal_quantiles,
    shapiro_wilk,
    thinned_residuals,
)
from understudy.statistics.mixed_categories import CategoryFit
from understudy.statistics.mixed_linear import LinearFit
from understudy.statistics.mixed_terms import Group
from understudy.statistics.repeated_anova import mixed_anova, repeated_measures_anova


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


# Diagnostics of mixed models: what their residuals and random effects look like, as panels of a figure.

_FEWEST = 4
"""Fewer people or items say nothing about the shape of their distribution."""


def linear_panels(model: LinearFit, values: arrays_Floats, groups: Sequence[Group]) -> tuple[DiagnosticPanel, ...]:
    """Return residuals over fitted values, residuals and random effects against normal distributions."""
    residuals = values - model.fitted
    if not np.isfinite(residuals).all():
        return ()
    cloud = thinned_residuals(model.fitted, residuals)
    return (
        DiagnosticPanel(kind="residuals", name="Residuals", x=_short(cloud.x), y=_short(cloud.y)),
        _quantiles("Residuals", residuals),
        *_effect_panels(groups, model.effects),
    )


def category_panels(model: CategoryFit, answers: arrays_Floats, groups: Sequence[Group]) -> tuple[DiagnosticPanel, ...]:
    """Return binned residuals on the scale of the answers as they were given, and random effects against normal ones."""
    if not np.isfinite(model.fitted).all():
        return ()
    scale = np.unique(answers)
    # The chance of each answer above the lowest, or of a higher one; the expectation adds up the steps between answers.
    above = special.expit(model.fitted[:, None] - model.thresholds[None, :])
    expected = scale[0] + above @ np.diff(scale)
    spread = scale[0] ** 2 + above @ np.diff(scale**2) - expected**2
    # Rounding may leave a tiny negative variance where an answer is certain.
    found = binned_residuals(expected, answers, np.maximum(spread, 0.0))
    panel = DiagnosticPanel(
        kind="binned", name="Residuals", x=_short(found.expected), y=_short(found.residual), bound=_short(found.bound)
    )
    return (panel, *_effect_panels(groups, model.effects))


def _effect_panels(groups: Sequence[Group], effects: Sequence[arrays_Floats]) -> list[DiagnosticPanel]:
    panels = []
    for group, modes in zip(groups, effects, strict=True):
        names = ["intercepts"]
        for slope in group.slopes:
            width = slope.columns.shape[1]
            names += [f"slopes of {slope.name}" + (f" ({k + 1})" if width > 1 else "") for k in range(width)]
        for name, values in zip(names, modes.T, strict=True):
            if values.size >= _FEWEST and np.ptp(values) > 0:
                panels.append(_quantiles(f"{group.name} {name}".capitalize(), values))
    return panels


def _quantiles(name: str, values: arrays_Floats) -> DiagnosticPanel:
    points = normal_quantiles(values)
    return DiagnosticPanel(kind="quantiles", name=name, x=_short(points.x), y=_short(points.y))


def _short(values: arrays_Floats) -> tuple[float, ...]:
    """Round for a figure, so that findings stay small files."""
    return tuple(float(f"{value:.4g}") for value in values)
