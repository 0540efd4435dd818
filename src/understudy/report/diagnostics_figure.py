"""The figure of diagnostics: residuals and random effects of a mixed model, for readers to judge."""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from understudy.report.charts import with_watermark
from understudy.report.figures import Figure
from understudy.report.theme import LIGHT
from understudy.schema import DiagnosticPanel, Finding

_WIDTH, _HEIGHT, _COLUMNS = 178, 138, 3
_AXES = {
    "residuals": ("fitted value", "residual"),
    "quantiles": ("normal quantile", "estimate"),
    "binned": ("expected answer", "mean residual"),
}
_CAPTIONS = {
    "residuals": "Residuals should scatter evenly around the dashed line at every fitted value; the solid line is their "
    "running mean.",
    "quantiles": "Values from a normal distribution follow the dashed line.",
    "binned": "Each point is the mean residual of rows with similar expected answers; about 95 % should lie between the thin "
    "lines. They rise a little with the expected answer even in a model that fits, because the estimated effects of people "
    "and items are drawn towards their mean.",
}
_RUNNING = 12
"""Parts over which the running mean of residuals is taken."""


def diagnostics_figure(finding: Finding, *, is_synthetic: bool = False) -> Figure | None:
    """Return the panels of a finding's model, three in a row; None for analyses without any."""
    panels = finding.estimate.diagnostics if finding.estimate else ()
    if not panels:
        return None
    charts = [_panel(panel) for panel in panels]
    if is_synthetic:
        charts[0] = with_watermark(charts[0], _HEIGHT, width=_WIDTH)
    # Flush bounds line the panels up by their axes, whatever the width of their labels.
    rows = [alt.hconcat(*charts[k : k + _COLUMNS], spacing=76, bounds="flush") for k in range(0, len(charts), _COLUMNS)]
    kinds = dict.fromkeys(panel.kind for panel in panels)
    return Figure(
        name=f"{finding.hypothesis_id}-diagnostics",
        chart=alt.vconcat(*rows, spacing=18),
        title=f"{finding.hypothesis_id}: diagnostics of the model",
        caption=" ".join(_CAPTIONS[kind] for kind in kinds),
        description=" ".join(_in_words(panel) for panel in panels),
        is_synthetic=is_synthetic,
    )


def _panel(panel: DiagnosticPanel) -> alt.LayerChart:
    frame = pd.DataFrame({"x": panel.x, "y": panel.y})
    x_title, y_title = _AXES[panel.kind]
    y_title = "residual" if panel.name == "Residuals" and panel.kind == "quantiles" else y_title
    x = alt.X("x:Q", title=x_title, axis=alt.Axis(tickCount=4, grid=False), scale=alt.Scale(zero=False, padding=5))
    y = alt.Y(
        "y:Q",
        title=y_title,
        axis=alt.Axis(tickCount=4, minExtent=38, labelFlush=True),
        scale=alt.Scale(zero=False, padding=5),
    )
    is_crowded = len(frame) > 100
    dots = alt.Chart(frame).mark_circle(
        size=14 if is_crowded else 26, opacity=0.45 if is_crowded else 0.8, color=LIGHT.dot
    )
    drawn = [_reference(panel, x, y), dots.encode(x=x, y=y)]
    if panel.kind == "residuals":
        drawn.append(_line(_running_mean(frame), x, y, color=LIGHT.accent, strokeWidth=1.6))
    if panel.kind == "binned":
        for sign in (1, -1):
            edge = frame.assign(y=[sign * bound for bound in panel.bound])
            drawn.append(_line(edge, x, y, color=LIGHT.soft, strokeWidth=0.8))
    title = alt.Title(_title(panel), fontSize=12, offset=6)
    return alt.LayerChart(layer=drawn, width=_WIDTH, height=_HEIGHT, title=title)


def _title(panel: DiagnosticPanel) -> str:
    title = f"{panel.name} against normal" if panel.name == "Residuals" and panel.kind == "quantiles" else panel.name
    return title if len(title) <= 30 else title[:29].rstrip() + "…"


def _reference(panel: DiagnosticPanel, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the dashed line that points follow in a model that fits."""
    ends = np.array([min(panel.x), max(panel.x)])
    slope, centre = 0.0, 0.0
    if panel.kind == "quantiles":
        # Through the quartiles, as R's qqline, so that a few strange values do not tilt it.
        low, high = np.interp([-0.6745, 0.6745], panel.x, panel.y)
        slope, centre = (high - low) / 1.349, (high + low) / 2
    return _line(
        pd.DataFrame({"x": ends, "y": centre + slope * ends}), x, y, color=LIGHT.soft, strokeWidth=1, strokeDash=[3, 3]
    )


def _line(frame: pd.DataFrame, x: alt.X, y: alt.Y, **look: Any) -> alt.Chart:
    drawn: alt.Chart = alt.Chart(frame).mark_line(**look).encode(x=x, y=y)
    return drawn


def _running_mean(frame: pd.DataFrame) -> pd.DataFrame:
    ordered = frame.sort_values("x", kind="stable")
    part = np.arange(len(ordered)) * _RUNNING // max(len(ordered), 1)
    return ordered.groupby(part)[["x", "y"]].mean()


def _in_words(panel: DiagnosticPanel) -> str:
    """Say what the panel shows, for people who cannot see it."""
    if panel.kind == "binned":
        n_outside = sum(abs(value) > bound for value, bound in zip(panel.y, panel.bound, strict=True))
        return (
            f"{panel.name}: {n_outside} of {len(panel.x)} mean residuals are more than two standard errors from zero."
        )
    if panel.kind == "residuals":
        return f"{panel.name} from {min(panel.y):.3g} to {max(panel.y):.3g}."
    straightness = float(np.corrcoef(panel.x, panel.y)[0, 1])
    return f"{panel.name}: correlation {straightness:.3f} with normal quantiles."
