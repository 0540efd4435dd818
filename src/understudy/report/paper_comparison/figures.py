"""Figures that compare printed results with ours: one per measure, and strips over single trials."""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from understudy.report import theme
from understudy.report.charts import WIDTH, with_watermark
from understudy.report.figures import Figure
from understudy.report.paper_comparison.printed import SE, PrintedColumn, PrintedMean, Spread, Strip
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
    """A number, printed or ours, with what is drawn to either side of it."""

    label: str
    series: str
    middle: float
    low: float
    high: float
    spread: Spread


def spans_figure(
    title: str,
    spans: Sequence[Span],
    *,
    axis: str,
    limits: tuple[float | None, float | None] = (None, None),
    is_synthetic: bool,
) -> Figure:
    """Return a figure with the printed spread and ours in each row."""
    marks = [_Mark(span.label, span.series, span.middle, span.low, span.high) for span in spans]
    sheet = _Sheet(list(dict.fromkeys(span.label for span in spans)), SERIES, axis, limits)
    spoken = "; ".join(f"{span.label}, {span.series}: {_spoken(span)}" for span in spans)
    return Figure(
        name=title,
        chart=_chart(marks, sheet, is_synthetic=is_synthetic),
        title=title,
        caption=f"{axis}: means with {_drawn_words(spans)}{_cut(limits)}. Diamonds are printed, discs are ours.",
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


def _drawn_words(spans: Sequence[Span]) -> str:
    """Say what is drawn around the means, by source where they differ."""
    words = {
        series: list(dict.fromkeys(span.spread.words for span in spans if span.series == series)) for series in SERIES
    }
    printed, ours = (" or ".join(words[series]) for series in SERIES)
    return f"{printed} (printed) and {ours} (ours)" if printed and ours and printed != ours else printed or ours


def _spoken(span: Span) -> str:
    middle, low, high = (theme.number(value) for value in (span.middle, span.low, span.high))
    if span.spread.level is not None:
        return f"{middle}, {span.spread.words[:-1]} {low} to {high}"
    return f"{middle} ± {theme.number(span.high - span.middle)} ({span.spread.symbol})"


def column_figure(
    column: PrintedColumn, rows: Sequence[tuple[str, PrintedMean | None, PrintedMean | None]], *, is_synthetic: bool
) -> Figure:
    """Return a figure of one measure, with the printed mean and ours in each row, each with its spread."""
    marks = [
        _Mark(label, series, cell.mean, cell.mean - cell.spread, cell.mean + cell.spread)
        for label, *cells in rows
        for series, cell in zip(SERIES, cells, strict=True)
        if cell is not None
    ]
    spoken = "; ".join(f"{mark.row}, {mark.series}: {theme.number(mark.mean)}" for mark in marks)
    is_printed = any(mark.series == "printed" for mark in marks)
    sheet = _Sheet([row[0] for row in rows], SERIES, column.heading, column.limits)
    return Figure(
        name=column.description,
        chart=_chart(marks, sheet, is_synthetic=is_synthetic),
        title=column.heading,
        caption=f"{column.heading}: means with {column.spread.words}{_cut(column.limits)}. "
        + ("Diamonds are printed, discs are ours." if is_printed else "All are ours; the paper prints no numbers."),
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


def strip_figure(strip: Strip, rows: Sequence[StripRow], *, is_synthetic: bool) -> Figure:
    """Return a figure of means over single trials, with one standard error to either side."""
    series = tuple(dict.fromkeys(row.series for row in rows))
    marks = [_Mark(row.label, row.series, row.mean, row.mean - row.se, row.mean + row.se) for row in rows]
    spoken = "; ".join(f"{row.label} {row.series}: {theme.number(row.mean)} (n {row.n})" for row in rows)
    printed = f" {strip.printed}" if strip.printed else ""
    named = f" Diamonds are {series[0]}, discs are {series[1]}." if len(series) == 2 else ""
    sheet = _Sheet(list(dict.fromkeys(row.label for row in rows)), series, strip.title, strip.limits)
    return Figure(
        name=strip.measure,
        chart=_chart(marks, sheet, is_synthetic=is_synthetic),
        title=strip.title,
        caption=f"{strip.title}: means with {SE.words}, over people{_cut(strip.limits)}.{named}{printed}",
        description=f"{spoken}.",
        is_synthetic=is_synthetic,
    )


class _Mark(NamedTuple):
    row: str
    series: str
    mean: float
    low: float
    high: float


class _Sheet(NamedTuple):
    """The layout of a figure: rows, series, axis title and axis limits."""

    rows: Sequence[str]
    series: Sequence[str]
    axis: str
    limits: tuple[float | None, float | None]


def _cut(limits: tuple[float | None, float | None]) -> str:
    return "" if limits == (None, None) else ", drawn no further than the measure goes"


def _chart(marks: Sequence[_Mark], sheet: _Sheet, *, is_synthetic: bool) -> alt.VConcatChart:
    low, high = sheet.limits
    frame = pd.DataFrame(
        [
            {"row": mark.row, "series": mark.series, "mean": mark.mean,
             "low": mark.low if low is None else max(mark.low, low),
             "high": mark.high if high is None else min(mark.high, high)}
            for mark in marks
        ],
        columns=["row", "series", "mean", "low", "high"],
    )  # fmt: skip
    labels, series = list(sheet.rows), list(sheet.series)
    height = _ROW * max(1, len(labels))
    y = alt.Y(
        "row:N", sort=labels, title=None, scale=alt.Scale(domain=labels), axis=alt.Axis(labelLimit=220, ticks=False)
    )
    offset = alt.YOffset("series:N", sort=series, scale=alt.Scale(domain=series))
    hues = [LIGHT.dot, LIGHT.accent] if len(series) == 2 else [LIGHT.accent]
    shapes = ["diamond", "circle"] if len(series) == 2 else ["circle"]
    hue = alt.Color("series:N", scale=alt.Scale(domain=series, range=hues), legend=None)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=series, range=shapes), legend=None)
    scale = alt.Scale(zero=False) if low is None or high is None else alt.Scale(domain=[low, high])
    x = alt.X("low:Q", title=sheet.axis, scale=scale, axis=alt.Axis(tickCount=6))
    bars = alt.Chart(frame).mark_rule(strokeWidth=2.5, strokeCap="round", opacity=0.8)
    dots = alt.Chart(frame).mark_point(filled=True, size=80, opacity=1)
    layers: list[alt.Chart] = [
        bars.encode(x=x, x2=alt.X2("high:Q"), y=y, yOffset=offset, color=hue),
        dots.encode(x=alt.X("mean:Q", title=sheet.axis), y=y, yOffset=offset, color=hue, shape=shape),
    ]
    chart = alt.LayerChart(layer=layers, width=WIDTH, height=height)
    return alt.vconcat(with_watermark(chart, height) if is_synthetic else chart)
