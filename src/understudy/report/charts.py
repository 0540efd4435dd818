"""Charts that figures consist of, and single answers as points."""

import textwrap
import zlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import altair as alt
import pandas as pd
from altair.utils.schemapi import debug_mode

from understudy.errors import TableError
from understudy.report import theme
from understudy.report.theme import LIGHT
from understudy.schema import EffectSize, Estimate, GroupSummary, Interval

# The raw points of a figure: each participant's analysed value in each group.

POINTS_COLUMNS: Final = ("hypothesis_id", "participant", "group", "value")
"""The columns of the tidy frame that figures draw from."""

MOST_DRAWN: Final = 2000
"""With more points than this, a figure draws a random subset and says so."""


def points_of(hypothesis_id: str, points: pd.DataFrame | None) -> pd.DataFrame:
    """Return the numeric points of one hypothesis, each with a stable jitter."""
    if points is None:
        return pd.DataFrame({"participant": [], "group": [], "value": [], "jitter": []})
    missing = [column for column in POINTS_COLUMNS if column not in points.columns]
    if missing:
        raise TableError(
            f"The frame of raw points lacks {', '.join(missing)}. Its columns must be {', '.join(POINTS_COLUMNS)}."
        )
    rows = points.loc[points["hypothesis_id"] == hypothesis_id, ["participant", "group", "value"]].copy()
    rows["value"] = pd.to_numeric(rows["value"], errors="coerce")
    rows = rows.dropna(subset=["value"])
    rows["participant"] = rows["participant"].astype(str)
    rows["group"] = rows["group"].astype(str)
    rows["jitter"] = [stable_jitter(name) for name in rows["participant"]]
    return rows.reset_index(drop=True)


def stable_jitter(participant: str) -> float:
    """Return a number between -1 and 1 that depends only on the name.

    A hash instead of a random number, so that a person has the same height in every figure on every machine.
    """
    return zlib.crc32(participant.encode()) / 0xFFFFFFFF * 2 - 1


def is_paired(points: pd.DataFrame) -> bool:
    """Tell whether any participant has points in more than one group."""
    return bool(len(points)) and bool((points.groupby("participant")["group"].nunique() > 1).any())


def is_of_trials(points: pd.DataFrame) -> bool:
    """Tell whether any participant has several points in a group, as with single trials."""
    return bool(points.duplicated(["participant", "group"]).any())


def thinned(points: pd.DataFrame) -> pd.DataFrame:
    """Return about MOST_DRAWN points; a participant keeps all points or none."""
    if len(points) <= MOST_DRAWN:
        return points
    # Whole participants are kept, so that the lines of paired points stay complete.
    people = points["participant"].drop_duplicates()
    chosen = sorted(people, key=stable_jitter)[: max(1, len(people) * MOST_DRAWN // len(points))]
    return points[points["participant"].isin(chosen)]


unchecked = debug_mode(False)
"""Decorates what draws many charts: checking every axis and mark against the schema takes a fifth of the time."""
WIDTH = 330
_ROW = 62
_SLIM_ROW = 34
_EFFECT_ROW = 50
_LABELS = 150
_FAR = 5
"""A bound that is farther from the estimate than so many intervals, or effects, is not drawn."""
# Channels and not their shorthand as text, which Altair looks up in the whole schema each time.
_WORDS, _HIGH = alt.Text("text:N"), alt.X2("high:Q")
# Altair gives types to all channels but these.
_AT_X: Any = alt.XValue
_AT_Y: Any = alt.YValue


class _Span(NamedTuple):
    """A row of a forest plot: an estimate, its interval and its label."""

    label: str
    value: float
    interval: Interval | None


def rows_chart(points: pd.DataFrame, groups: Sequence[GroupSummary], axis_title: str) -> alt.LayerChart:
    """Draw a row for each group: a point per participant, and the mean with its interval on top."""
    names = list(dict.fromkeys([*(group.group for group in groups), *points["group"]]))
    counts = {group.group: group.n for group in groups}
    labels = {name: _folded(name) + (f"\nn = {counts[name]:,}" if name in counts else "") for name in names}
    y = _row_axis(list(labels.values()))
    layers: list[alt.Chart] = []
    if len(points):
        layers += _cloud(thinned(points).assign(row=lambda frame: frame["group"].map(labels)), y, axis_title)
    means = [(labels[group.group], group) for group in groups if group.mean is not None]
    if means:
        layers += _means(means, y, axis_title)
    return alt.LayerChart(layer=layers, width=WIDTH, height=_ROW * len(names))


def scatter_chart(points: pd.DataFrame) -> alt.Chart:
    """Draw one outcome against another, a point for each participant who has both."""
    first, second = dict.fromkeys(points["group"])
    wide = points.pivot_table(index="participant", columns="group", values="value").dropna()
    frame = pd.DataFrame({"x": wide[first].to_numpy(), "y": wide[second].to_numpy()})
    mark = alt.Chart(frame).mark_circle(size=46, opacity=0.6, color=LIGHT.accent)
    drawn: alt.Chart = mark.encode(
        x=alt.X("x:Q", title=_short(first, 48), scale=alt.Scale(zero=False, padding=12)),
        y=alt.Y("y:Q", title=_short(second, 40), scale=alt.Scale(zero=False, padding=12)),
    ).properties(width=WIDTH, height=230)
    return drawn


def effect_chart(estimate: Estimate) -> alt.LayerChart | None:
    """Draw the estimated effect with its interval next to no effect; nothing when there is no number."""
    if estimate.effect is None:
        return None
    span = _Span(_folded(estimate.effect_name), estimate.effect, estimate.interval)
    return _spans_chart([span], null_value=estimate.null_value, bounds=equivalence_bounds(estimate), is_single=True)


def equivalence_bounds(estimate: Estimate) -> tuple[float, ...]:
    """Return the bounds of an equivalence test that fit next to its estimate; a bound far away would flatten the rest."""
    effect, span = estimate.effect, estimate.interval
    found = [estimate.details.get(name) for name in ("lower_bound", "upper_bound")]
    if effect is None or span is None or span.low is None or span.high is None:
        return ()
    reach = _FAR * max(span.high - span.low, abs(effect))
    return tuple(bound for bound in found if bound is not None and abs(bound - effect) <= reach)


def forest_chart(name: str, sizes: Sequence[tuple[str, EffectSize]]) -> alt.LayerChart:
    """Draw a forest plot of effect sizes of one kind, with the numbers."""
    spans = [_Span(_short(label), size.value, size.interval) for label, size in sizes if size.value is not None]
    null_value = next((size.null_value for _, size in sizes if size.null_value is not None), None)
    return _spans_chart(spans, null_value=null_value, title=alt.Title(_short(name, 60), fontSize=12, offset=6))


def with_watermark(chart: alt.Chart | alt.LayerChart, height: int, *, width: int = WIDTH) -> alt.LayerChart:
    """Print SYNTHETIC across a chart, so that it stays marked wherever it is copied to."""
    word = alt.Chart(pd.DataFrame({"text": ["SYNTHETIC"]})).mark_text(
        fontSize=min(44, width // 7, max(20, height // 3)), fontWeight=700, opacity=0.1, color=LIGHT.ink
    )
    placed = word.encode(text=_WORDS, x=_AT_X(width / 2), y=_AT_Y(height / 2))
    if not isinstance(chart, alt.LayerChart) or chart.data is not alt.Undefined:
        return alt.LayerChart(layer=[placed, chart])
    # Its layers next to the word, not nested below it: each level of nesting multiplies the time that drawing takes.
    kept = {name: chart[name] for name in ("width", "height", "title") if chart[name] is not alt.Undefined}
    return alt.LayerChart(layer=[placed, *chart.layer], **kept)


def height_of(chart: alt.Chart | alt.LayerChart) -> int:
    """Return the height of a chart."""
    return int(chart.height)


def _row_axis(labels: list[str], *, room: int = _LABELS) -> alt.Y:
    axis = alt.Axis(
        domain=False,
        ticks=False,
        grid=False,
        labelExpr="split(datum.label, '\\n')",
        labelLimit=room,
        minExtent=room,
        maxExtent=room,
    )
    return alt.Y("row:N", sort=labels, title=None, axis=axis, scale=alt.Scale(domain=labels, paddingInner=0.05))


def _value_axis(field: str, title: str | None) -> alt.X:
    scale = alt.Scale(zero=False, nice=True, padding=6)
    return alt.X(f"{field}:Q", title=title, axis=alt.Axis(tickCount=6), scale=scale)


def _cloud(points: pd.DataFrame, y: alt.Y, axis_title: str) -> list[alt.Chart]:
    x = _value_axis("value", _short(axis_title, 48))
    offset = alt.YOffset("jitter:Q", scale=alt.Scale(domain=[-1.7, 1.7]))
    layers = []
    if is_paired(points):
        line = alt.Chart(points).mark_line(strokeWidth=0.8, opacity=0.35, color=LIGHT.dot)
        layers.append(
            line.encode(x=x, y=y, yOffset=offset, detail=alt.Detail("participant:N"), order=alt.Order("row:N"))
        )
    dots = alt.Chart(points).mark_circle(size=30, opacity=0.55, color=LIGHT.dot)
    return [*layers, dots.encode(x=x, y=y, yOffset=offset)]


def _means(means: Sequence[tuple[str, GroupSummary]], y: alt.Y, axis_title: str) -> list[alt.Chart]:
    frame = pd.DataFrame([{"row": row, "value": g.mean, "text": theme.number(g.mean)} for row, g in means])
    ends = [
        {"row": row, "low": g.interval.low, "high": g.interval.high}
        for row, g in means
        if g.interval is not None and g.interval.low is not None and g.interval.high is not None
    ]
    x = _value_axis("value", _short(axis_title, 48))
    layers = _bars(pd.DataFrame(ends), y, _short(axis_title, 48)) if ends else []
    dot = alt.Chart(frame).mark_circle(size=120, opacity=1, color=LIGHT.accent, stroke=LIGHT.paper, strokeWidth=2)
    return [*layers, dot.encode(x=x, y=y), *_words_above(frame, x, y)]


def _bars(ends: pd.DataFrame, y: alt.Y, axis_title: str | None) -> list[alt.Chart]:
    x = _value_axis("low", axis_title)
    # A halo in the colour of the paper separates the bar from the points below it.
    halo = alt.Chart(ends).mark_rule(strokeWidth=7, strokeCap="round", color=LIGHT.paper)
    bar = alt.Chart(ends).mark_rule(strokeWidth=3, strokeCap="round", color=LIGHT.accent)
    return [part.encode(x=x, x2=_HIGH, y=y) for part in (halo, bar)]


def _spans_chart(
    spans: Sequence[_Span],
    *,
    null_value: float | None,
    bounds: Sequence[float] = (),
    is_single: bool = False,
    **look: Any,
) -> alt.LayerChart:
    low, high = _domain(spans, [*bounds, *([] if null_value is None else [null_value])])
    frame = pd.DataFrame([_span_row(span, low, high) for span in spans])
    labels = list(dict.fromkeys(frame["row"]))
    y = _row_axis(labels, room=_LABELS if is_single else min(_LABELS, 12 + 8 * max(map(len, labels))))
    scale = alt.Scale(domain=[low, high], nice=False)
    x = alt.X("value:Q", title=None, scale=scale, axis=alt.Axis(tickCount=5))
    layers: list[alt.Chart] = []
    if null_value is not None:
        null = alt.Chart(pd.DataFrame({"value": [null_value]})).mark_rule(strokeDash=[3, 3], color=LIGHT.soft)
        layers.append(null.encode(x=x))
    if bounds:
        layers.append(alt.Chart(pd.DataFrame({"value": [*bounds]})).mark_rule(color=LIGHT.ink).encode(x=x))
    drawn = frame[frame["has_interval"]]
    if len(drawn):
        bar = alt.Chart(drawn).mark_rule(strokeWidth=3, strokeCap="round", color=LIGHT.accent)
        layers.append(bar.encode(x=alt.X("low:Q", scale=scale, title=None), x2=_HIGH, y=y))
    for side, shape in (("low", "triangle-left"), ("high", "triangle-right")):
        open_ended = frame[frame[f"{side}_open"]]
        if len(open_ended):
            arrow = alt.Chart(open_ended).mark_point(shape=shape, size=70, filled=True, color=LIGHT.accent, opacity=1)
            layers.append(arrow.encode(x=alt.X(f"{side}:Q", title=None), y=y))
    dot = alt.Chart(frame).mark_circle(size=110, opacity=1, color=LIGHT.accent, stroke=LIGHT.paper, strokeWidth=2)
    layers.append(dot.encode(x=x, y=y))
    if is_single:
        layers += _words_above(frame, x, y)
    else:
        word = alt.Chart(frame).mark_text(align="left", color=LIGHT.ink, fontSize=11)
        layers.append(word.encode(x=_AT_X(WIDTH + 10), y=y, text=_WORDS))
    height = (_EFFECT_ROW if is_single else _SLIM_ROW) * frame["row"].nunique()
    return alt.LayerChart(layer=layers, width=WIDTH, height=height, **look)


def _words_above(frame: pd.DataFrame, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    halo = alt.Chart(frame).mark_text(dy=-18, fontWeight=600, color=LIGHT.paper, stroke=LIGHT.paper, strokeWidth=4)
    word = alt.Chart(frame).mark_text(dy=-18, fontWeight=600, color=LIGHT.accent)
    return [part.encode(x=x, y=y, text=_WORDS) for part in (halo, word)]


def _domain(spans: Sequence[_Span], marks: Sequence[float]) -> tuple[float, float]:
    ends = [*marks, *(span.value for span in spans)]
    for span in spans:
        if span.interval is not None:
            ends += [end for end in (span.interval.low, span.interval.high) if end is not None]
    room = (max(ends) - min(ends)) * 0.12 or 0.1
    return min(ends) - room, max(ends) + room


def _span_row(span: _Span, low: float, high: float) -> dict[str, str | float | bool]:
    shown = span.interval
    ends = [span.value, *((shown.low, shown.high) if shown else ())]
    decimals = theme.decimals_of(ends)
    text = theme.number(span.value, decimals=decimals)
    return {
        "row": span.label,
        "value": span.value,
        "low": shown.low if shown and shown.low is not None else low,
        "high": shown.high if shown and shown.high is not None else high,
        "has_interval": shown is not None,
        "low_open": shown is not None and shown.low is None,
        "high_open": shown is not None and shown.high is None,
        "text": f"{text} {theme.interval(shown, decimals=decimals)}" if shown else text,
    }


def _folded(text: str) -> str:
    lines = textwrap.wrap(text, 22, max_lines=2, placeholder="…")
    return "\n".join(_short(line) for line in lines)


def _short(text: str, most: int = 24) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
