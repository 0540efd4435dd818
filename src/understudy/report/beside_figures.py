"""Figures of printed results beside ours: one sheet for each measure, and strips over single trials."""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from understudy.report import numbers
from understudy.report.charts import WIDTH, with_watermark
from understudy.report.figures import Figure
from understudy.report.printed import Cell, Column, Strip
from understudy.report.theme import LIGHT

_ROW = 34
SERIES = ("printed", "ours")


class StripRow(NamedTuple):
    """One mean of a strip, with its standard error over people."""

    label: str
    series: str
    mean: float
    se: float
    n: int


class Span(NamedTuple):
    """A number with the half-width of its interval, printed or ours."""

    label: str
    series: str
    middle: float
    half_width: float


def spans_figure(title: str, spans: Sequence[Span], *, axis: str, is_synthetic: bool) -> Figure:
    """Draw intervals: for each row the printed one and ours."""
    frame = pd.DataFrame(
        [
            {"row": one.label, "series": one.series, "mean": one.middle,
             "low": one.middle - one.half_width, "high": one.middle + one.half_width}
            for one in spans
        ]
    )  # fmt: skip
    spoken = "; ".join(
        f"{one.label}, {one.series}: {numbers.number(one.middle)} ± {numbers.number(one.half_width)}" for one in spans
    )
    return Figure(
        name=title,
        chart=_chart(frame, list(dict.fromkeys(one.label for one in spans)), axis, is_synthetic=is_synthetic),
        title=title,
        caption=f"{axis}, with 95% intervals. Diamonds are printed, discs are ours.",
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


def column_figure(
    column: Column, rows: Sequence[tuple[str, Cell | None, Cell | None]], *, is_synthetic: bool
) -> Figure:
    """Draw one measure: for each row the printed mean and ours, each with its SD."""
    drawn = [
        (label, series, cell)
        for label, *cells in rows
        for series, cell in zip(SERIES, cells, strict=True)
        if cell is not None
    ]
    frame = pd.DataFrame(
        [
            {"row": label, "series": series, "mean": cell.mean, "low": cell.mean - cell.sd, "high": cell.mean + cell.sd}
            for label, series, cell in drawn
        ]
    )
    spoken = "; ".join(f"{label}, {series}: {numbers.number(cell.mean)}" for label, series, cell in drawn)
    return Figure(
        name=column.description,
        chart=_chart(frame, [row[0] for row in rows], column.heading, is_synthetic=is_synthetic),
        title=column.heading,
        caption=f"{column.heading}: means with one SD to either side. Diamonds are printed, discs are ours.",
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


def strip_figure(strip: Strip, rows: Sequence[StripRow], *, is_synthetic: bool) -> Figure:
    """Draw means over single trials with one standard error to either side."""
    frame = pd.DataFrame(
        [
            {"row": f"{one.label}, {one.series}" if one.series else one.label, "series": "ours", "mean": one.mean,
             "low": one.mean - one.se, "high": one.mean + one.se}
            for one in rows
        ]
    )  # fmt: skip
    spoken = "; ".join(f"{one.label} {one.series}: {numbers.number(one.mean)} (n {one.n})" for one in rows)
    printed = f" {strip.printed}" if strip.printed else ""
    return Figure(
        name=strip.measure,
        chart=_chart(frame, list(dict.fromkeys(frame["row"])), strip.title, is_synthetic=is_synthetic),
        title=strip.title,
        caption=f"{strip.title}: means with one standard error over people to either side.{printed}",
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


def _chart(frame: pd.DataFrame, labels: list[str], axis: str, *, is_synthetic: bool) -> alt.VConcatChart:
    height = _ROW * max(1, len(labels))
    y = alt.Y(
        "row:N", sort=labels, title=None, scale=alt.Scale(domain=labels), axis=alt.Axis(labelLimit=220, ticks=False)
    )
    offset = alt.YOffset("series:N", sort=list(SERIES), scale=alt.Scale(domain=list(SERIES)))
    hue = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES), range=[LIGHT.dot, LIGHT.accent]), legend=None)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=list(SERIES), range=["diamond", "circle"]), legend=None)
    bars = alt.Chart(frame).mark_rule(strokeWidth=2.5, strokeCap="round", opacity=0.8)
    dots = alt.Chart(frame).mark_point(filled=True, size=80, opacity=1)
    layers: list[alt.Chart] = [
        bars.encode(
            x=alt.X("low:Q", title=axis, scale=alt.Scale(zero=False)), x2="high:Q", y=y, yOffset=offset, color=hue
        ),
        dots.encode(x=alt.X("mean:Q", title=axis), y=y, yOffset=offset, color=hue, shape=shape),
    ]
    chart = alt.LayerChart(layer=layers).properties(width=WIDTH, height=height)
    return alt.vconcat(with_watermark(chart, height) if is_synthetic else chart)
