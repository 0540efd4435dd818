"""Diagnostics of mixed models: what their residuals and random effects look like, as panels of a figure."""

from collections.abc import Sequence

import numpy as np

from understudy.analyses.kernels.diagnostics import binned_residuals, normal_quantiles, thinned_residuals
from understudy.analyses.kernels.mixed_categories import CategoryFit
from understudy.analyses.kernels.mixed_linear import LinearFit
from understudy.analyses.kernels.mixed_structure import Group
from understudy.analyses.kernels.vectors import Floats
from understudy.deferred.scipy import special
from understudy.schema import DiagnosticPanel

_FEWEST = 4
"""Fewer people or items say nothing about the shape of their distribution."""


def linear_panels(model: LinearFit, values: Floats, groups: Sequence[Group]) -> tuple[DiagnosticPanel, ...]:
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


def category_panels(model: CategoryFit, answers: Floats, groups: Sequence[Group]) -> tuple[DiagnosticPanel, ...]:
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


def _effect_panels(groups: Sequence[Group], effects: Sequence[Floats]) -> list[DiagnosticPanel]:
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


def _quantiles(name: str, values: Floats) -> DiagnosticPanel:
    points = normal_quantiles(values)
    return DiagnosticPanel(kind="quantiles", name=name, x=_short(points.x), y=_short(points.y))


def _short(values: Floats) -> tuple[float, ...]:
    """Round for a figure, so that findings stay small files."""
    return tuple(float(f"{value:.4g}") for value in values)
