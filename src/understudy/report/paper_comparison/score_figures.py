"""Automatic scores against people: one panel for each score and measure, one point for each model."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from typing import Literal, NamedTuple

import altair as alt
import pandas as pd

from understudy.report import theme
from understudy.report.charts import with_watermark
from understudy.report.figures import Figure
from understudy.report.paper_comparison.printed import ModelScores, PrintedColumn, SharedInformation
from understudy.report.theme import LIGHT

_SIDE = 170
_SHAPES = ("circle", "square", "triangle-up", "diamond")
SOURCES = ("printed", "ours")


class Score(NamedTuple):
    """An automatic score, and whether higher or lower is better."""

    name: Literal["mig", "dci_paper", "dci", "error"]
    heading: str
    better: Literal["higher", "lower"]
    is_share: bool = True


SCORES = (
    Score("mig", "MIG", "higher"),
    Score("dci_paper", "DCI, paper's roles", "higher"),
    Score("dci", "DCI", "higher"),
    Score("error", "Held-out error", "lower", is_share=False),
)
DRAWN = tuple(score for score in SCORES if score.name != "dci")
"""Scores that are both printed and ours."""


class ScoredModel(NamedTuple):
    """A model with its automatic scores and people's results."""

    scores: ModelScores
    source: Literal["printed", "ours"]
    people: tuple[float | None, ...]
    """One value for each measure."""


class OrderLine(NamedTuple):
    """How many pairs of models a score and people order the same way."""

    data: str
    source: str
    measure: str
    counts: tuple[str, ...]
    """One per score: pairs in the same order, of the pairs that differ in both."""


def scores_figure(
    models: Sequence[ScoredModel],
    measures: Sequence[PrintedColumn],
    *,
    is_synthetic: bool,
    name: str = "scores-and-people",
) -> Figure | None:
    """Return a figure with a panel per score and measure, or None if no model has both."""
    frame = pd.DataFrame(
        [row for model in models for row in _points(model, measures)],
        columns=["score", "measure", "x", "y", "model", "label", "data", "source", "line"],
    )
    if frame.empty:
        return None
    key = _key(frame)
    strips = []
    for measure in measures:
        rows = frame[frame["measure"] == measure.heading]
        panels = [
            _panel(rows[rows["score"] == score.heading], _Axes(score, measure), key, is_synthetic=is_synthetic)
            for score in DRAWN
            if (frame["score"] == score.heading).any()
        ]
        if len(rows):
            strips.append(alt.hconcat(*panels, spacing=14))
    return Figure(
        name=name,
        chart=alt.vconcat(*strips, spacing=10),
        title="Automatic scores and people",
        caption=_caption(frame),
        description=_in_words(frame),
        is_synthetic=is_synthetic,
    )


def order_lines(models: Sequence[ScoredModel], measures: Sequence[PrintedColumn]) -> list[OrderLine]:
    """Count, for each data set, source and measure, the pairs of models that each score orders as people do."""
    lines = []
    groups = dict.fromkeys((model.scores.data, model.source) for model in models)
    for data, source in groups:
        group = [model for model in models if (model.scores.data, model.source) == (data, source)]
        for column, measure in enumerate(measures):
            counts = tuple(_alike(group, score, column, measure.better) for score in SCORES)
            if any(count != theme.DASH for count in counts):
                lines.append(OrderLine(data, source, measure.heading, counts))
    return lines


def _alike(models: Sequence[ScoredModel], score: Score, column: int, better: str) -> str:
    sign = (1 if score.better == "higher" else -1) * (1 if better == "higher" else -1)
    pairs = [
        (x, y)
        for model in models
        if (x := getattr(model.scores, score.name)) is not None and (y := model.people[column]) is not None
    ]
    products = [sign * (b[0] - a[0]) * (b[1] - a[1]) for a, b in combinations(pairs, 2)]
    differing = [product for product in products if product]
    return f"{sum(product > 0 for product in differing)} of {len(differing)}" if differing else theme.DASH


def _points(model: ScoredModel, measures: Sequence[PrintedColumn]) -> list[dict[str, object]]:
    name = model.scores.label.removeprefix(model.scores.data).strip().removesuffix(" dials").replace(", ", "")
    return [
        {"score": score.heading, "measure": measure.heading, "x": x, "y": y, "model": name,
         "label": model.scores.label, "data": model.scores.data, "source": model.source,
         "line": f"{model.scores.data} {model.source}"}
        for score in DRAWN
        if (x := getattr(model.scores, score.name)) is not None
        for measure, y in zip(measures, model.people, strict=True)
        if y is not None
    ]  # fmt: skip


class _Axes(NamedTuple):
    """What a panel shows: a score across and a measure up."""

    score: Score
    measure: PrintedColumn


class _Key(NamedTuple):
    """The colours and shapes that all panels share."""

    hue: alt.Color
    shape: alt.Shape


def _key(frame: pd.DataFrame) -> _Key:
    sources = [source for source in SOURCES if (frame["source"] == source).any()]
    hues = [{"printed": LIGHT.dot, "ours": LIGHT.accent}[source] for source in sources]
    data = list(dict.fromkeys(frame["data"]))
    soft = LIGHT.soft
    hues_key = alt.Legend(orient="top", title=None, labelColor=LIGHT.ink, symbolOpacity=1, labelFontSize=12)
    shapes_key = alt.Legend(
        orient="top", title=None, labelColor=LIGHT.ink, labelFontSize=12, symbolFillColor=soft, symbolStrokeColor=soft
    )
    return _Key(
        alt.Color("source:N", scale=alt.Scale(domain=sources, range=hues), legend=hues_key),
        alt.Shape("data:N", scale=alt.Scale(domain=data, range=list(_SHAPES[: len(data)])), legend=shapes_key),
    )


def _panel(frame: pd.DataFrame, axes: _Axes, key: _Key, *, is_synthetic: bool) -> alt.LayerChart | alt.Chart:
    score, measure = axes
    # Learned models crowd near 0 and true ones are at 1; a square-root scale spreads the crowd.
    across = alt.Scale(type="sqrt", domain=[0, 1.15]) if score.is_share else alt.Scale(zero=False, padding=22)
    ticks = alt.Axis(values=[0, 0.1, 0.3, 0.6, 1], format="~g") if score.is_share else alt.Axis(tickCount=4)
    x = alt.X("x:Q", title=score.heading, scale=across, axis=ticks)
    y = alt.Y("y:Q", title=measure.heading, scale=alt.Scale(zero=False, padding=14), axis=alt.Axis(tickCount=4))
    hue, shape = key
    base = alt.Chart(frame)
    printed, ours = (alt.Chart(frame[frame["source"] == source]) for source in SOURCES)
    # A channel and not its shorthand as text, which Altair looks up in the whole schema each time.
    name = alt.Text("model:N")
    chart = alt.LayerChart(
        width=_SIDE,
        height=_SIDE,
        layer=[
            base.mark_line(strokeWidth=1, opacity=0.45).encode(
                x, y, hue, detail=alt.Detail("line:N"), order=alt.Order("x:Q")
            ),
            base.mark_point(filled=True, size=58, opacity=1).encode(x, y, hue, shape),
            printed.mark_text(dx=-7, align="right", fontSize=10).encode(x, y, hue, text=name),
            ours.mark_text(dx=7, align="left", fontSize=10).encode(x, y, hue, text=name),
        ],
    )
    return with_watermark(chart, _SIDE, width=_SIDE) if is_synthetic and (frame["source"] == "ours").any() else chart


def _caption(frame: pd.DataFrame) -> str:
    shapes = list(dict.fromkeys(frame["data"]))
    by_shape = f" Shapes are data sets ({', '.join(shapes)})." if len(shapes) > 1 else ""
    ours = " Ours are scores of the decoders in this run against what its people did." if _has_ours(frame) else ""
    return (
        "Each point is one model: an automatic score across, what people did with it up. Lines join the models of one "
        f"data set.{by_shape}{ours} Errors are sums over values and do not compare between data sets."
    )


def _has_ours(frame: pd.DataFrame) -> bool:
    return bool((frame["source"] == "ours").any())


def _in_words(frame: pd.DataFrame) -> str:
    sentences = [
        f"{label}, {source}: {score} {theme.number(float(x))}, {measure} {theme.number(float(y))}"
        for label, source, score, x, measure, y in zip(
            *(frame[name] for name in ("label", "source", "score", "x", "measure", "y")), strict=True
        )
    ]
    return "; ".join(sentences) + "."


# Heat maps of the mutual information of dials and true factors, printed models above ours.

_CELL = 30
_FULL_BITS = 2.0
"""The bits that get the full colour; true models exceed it."""
_DARK = 0.62
"""Above this strength, numbers are drawn in the background colour."""


def shared_figure(data: str, printed: Sequence[ModelScores], ours: Sequence[ModelScores]) -> Figure | None:
    """Return a figure of the models of one data set, or None if no model has known factors."""
    rows = [
        [(model, model.shared, source) for model in models if model.shared is not None]
        for models, source in ((printed, "printed"), (ours, "ours"))
    ]
    drawn = [row for row in rows if row]
    if not drawn:
        return None
    sheets = [alt.hconcat(*(_shared_figure_panel(*panel) for panel in row), spacing=22) for row in drawn]
    spoken = "; ".join(
        f"{model.label}, {source}: {', '.join(_dial_sentences(model, shared))}"
        for row in drawn
        for model, shared, source in row
    )
    return Figure(
        name=f"shared-{data.lower()}",
        chart=alt.vconcat(*sheets, spacing=18),
        title=f"{data}: mutual information of dials and true factors, in bits",
        caption=f"{data}: bits that each dial (row) shares with each true factor (column); full hue at "
        f"{_FULL_BITS:g} bits. Below a column: by what share of the factor's entropy its best dial is ahead of the "
        "second (their mean is MIG). Next to a row: how far the dial follows one factor only (DCI). A model whose dials "
        "mean one thing each has one dark cell in each row and column.",
        description=f"{spoken}.",
        is_synthetic=False,
    )


def _dial_sentences(model: ModelScores, shared: SharedInformation) -> list[str]:
    names = model.dials or tuple(f"dial {k}" for k in range(1, len(shared.bits) + 1))
    return [
        f"{name} most about {factor} ({max(row):.2f})"
        for name, factor, row in zip(names, shared.strongest, shared.bits, strict=True)
    ]


def _shared_figure_panel(model: ModelScores, shared: SharedInformation, source: str) -> alt.LayerChart:
    n_dials, n_factors = len(shared.bits), len(shared.factors)
    dials = list(model.dials) or [f"z{k}" for k in range(1, n_dials + 1)]
    x = alt.X("factor:N", sort=list(shared.factors), title=None,
              axis=alt.Axis(orient="top", labelAngle=-40, labelFontSize=10, ticks=False, domain=False, labelPadding=3),
    )  # fmt: skip
    y = alt.Y("dial:N", sort=dials, title=None, axis=alt.Axis(ticks=False, domain=False, labelFontSize=10))
    base = alt.Chart(_cells(shared, dials))
    opacity = alt.FillOpacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0, 1]), legend=None)
    text = base.mark_text(fontSize=9).encode(
        x, y, text=alt.Text("text:N"),
        color=alt.condition(f"datum.strength > {_DARK}", alt.value(LIGHT.paper), alt.value(LIGHT.ink)),
    )  # fmt: skip
    cell = base.mark_rect(fill=LIGHT.accent, stroke=LIGHT.line, strokeWidth=0.5)
    width, height = _CELL * n_factors, _CELL * n_dials
    layers = [cell.encode(x, y, fillOpacity=opacity), text, *_margins(model, shared, dials, (width, height))]
    title = alt.Title(f"{model.label}, {source}", fontSize=11, offset=6, anchor="start", frame="group")
    return alt.LayerChart(layer=layers, width=width, height=height, title=title)


def _cells(shared: SharedInformation, dials: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dial": dial, "factor": factor, "text": _short(bits), "strength": min(sqrt(max(bits, 0) / _FULL_BITS), 1)}
            for dial, row in zip(dials, shared.bits, strict=True)
            for factor, bits in zip(shared.factors, row, strict=True)
        ]
    )


def _margins(
    model: ModelScores, shared: SharedInformation, dials: Sequence[str], size: tuple[int, int]
) -> list[alt.Chart]:
    """Return text marks: the gap of each factor below its column, and the DCI of each dial next to its row."""
    width, height = size
    layers = []
    if shared.gaps:
        below = pd.DataFrame({"factor": shared.factors, "text": [_short(gap) for gap in shared.gaps]})
        mark = alt.Chart(below).mark_text(fontSize=9, color=LIGHT.soft, fontStyle="italic")
        x = alt.X("factor:N", sort=list(shared.factors), title=None)
        layers.append(mark.encode(x, y=alt.value(height + 9), text=alt.Text("text:N")))
    if len(model.dci_by_dial) == len(dials):
        by_dial = pd.DataFrame({"dial": dials, "text": [_short(score) for score in model.dci_by_dial]})
        mark = alt.Chart(by_dial).mark_text(fontSize=9, color=LIGHT.soft, fontStyle="italic", align="left")
        layers.append(
            mark.encode(alt.Y("dial:N", sort=list(dials), title=None), x=alt.value(width + 4), text=alt.Text("text:N"))
        )
    return layers


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else f"{value:.1f}"
