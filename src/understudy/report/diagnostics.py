"""Figures and tables by which readers judge a finding: residuals, random effects and sensitivity analyses."""

from typing import Any, NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from understudy.report import theme
from understudy.report.charts import forest_chart, with_watermark
from understudy.report.figures import Figure, stacked
from understudy.report.theme import LIGHT
from understudy.report.wording import joined, plural, readable
from understudy.schema import DiagnosticPanel, EffectSize, Finding, Findings, SensitivityResults

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


# The figure of sensitivity: each effect as planned, and once more with people whom exclusions took out.


def sensitivity_figure(findings: Findings) -> Figure | None:
    """Return one panel per hypothesis with a row for each sensitivity analysis; None if there is none to draw."""
    panels: list[alt.Chart | alt.LayerChart] = []
    spoken: list[str] = []
    for finding in findings.findings:
        rows = _rows(finding, findings)
        if len(rows) > 1:
            panels.append(forest_chart(f"{finding.hypothesis_id}: {rows[0][1].name}", rows))
            said = "; ".join(f"{label} {theme.value_with_interval(size.value, size.interval)}" for label, size in rows)
            spoken.append(f"{finding.hypothesis_id}: {said}.")
    if not panels:
        return None
    is_synthetic = findings.provenance.is_synthetic
    return Figure(
        name="sensitivity",
        chart=stacked(panels, is_synthetic=is_synthetic),
        title="Sensitivity to exclusions",
        caption="One panel per hypothesis: the effect as planned, and again with the people that each rule excluded. The "
        "dashed line marks no effect.",
        description=f"Effects with and without exclusions. {' '.join(spoken)}",
        is_synthetic=is_synthetic,
    )


def label_of(results: SensitivityResults) -> str:
    """Say which people count: those of a declared analysis, or those whom one rule took out."""
    if results.is_declared:
        return f"with {readable(results.name)}"
    return "without exclusions" if len(results.keeps) > 1 else f"without “{readable(results.keeps[0])}”"


def _rows(finding: Finding, findings: Findings) -> list[tuple[str, EffectSize]]:
    """Return the effect of each analysis; those that a decision tree led to another kind of effect are left out."""
    named = [("as planned", finding)]
    for results in findings.sensitivity:
        named += [
            (label_of(results), again) for again in results.findings if again.hypothesis_id == finding.hypothesis_id
        ]
    return [
        (
            label,
            EffectSize(
                name=found.estimate.effect_name,
                value=found.estimate.effect,
                interval=found.estimate.interval,
                null_value=found.estimate.null_value,
            ),
        )
        for label, found in named
        if found.estimate is not None
        and found.estimate.effect is not None
        and finding.estimate is not None
        and found.estimate.effect_name == finding.estimate.effect_name
    ]


# Tables of sensitivity analyses: each hypothesis in the main analysis and once more with people who were left out.


class SensitivityLine(NamedTuple):
    """One hypothesis, tested twice."""

    hypothesis: str
    main: str
    again: str


class SensitivityTable(NamedTuple):
    """One sensitivity analysis."""

    name: str
    words: str
    lines: tuple[SensitivityLine, ...]


def sensitivity_tables(findings: Findings) -> tuple[SensitivityTable, ...]:
    """Return a table for each sensitivity analysis."""
    tables = []
    for results in findings.sensitivity:
        again = {finding.hypothesis_id: finding for finding in results.findings}
        counts = joined([f"{n:,} in {condition}" for condition, n in results.n_by_condition.items()])
        added = "" if results.is_declared else "Not in the plan; added for every rule that excluded people. "
        words = (
            f"{added}Includes people excluded by these rules: {joined([readable(name) for name in results.keeps])}. "
            f"{plural(results.n_analysed, 'participant')}: {counts}."
        )
        lines = tuple(
            SensitivityLine(finding.claim, _result(finding), _result(again[finding.hypothesis_id]))
            for finding in findings.findings
            if finding.hypothesis_id in again
        )
        tables.append(SensitivityTable(readable(results.name), words, lines))
    return tuple(tables)


def _result(finding: Finding) -> str:
    """Return analysis, test and verdict in a few words."""
    verdict = finding.verdict.replace("_", " ")
    if finding.estimate is None:
        return verdict
    p_value = finding.estimate.p_value if finding.p_adjusted is None else finding.p_adjusted
    corrected = " (corrected)" if p_value != finding.estimate.p_value else ""
    return f"{verdict}; {finding.analysis}, {theme.p_value(p_value)}{corrected}"
