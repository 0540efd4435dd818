"""Heat maps of the mutual information of dials and true factors, printed models above ours."""

from collections.abc import Sequence
from math import sqrt

import altair as alt
import pandas as pd

from understudy.report.figures import Figure
from understudy.report.paper_comparison.automatic_scores import ModelScores, SharedInformation
from understudy.report.theme import LIGHT

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
    sheets = [alt.hconcat(*(_panel(*panel) for panel in row), spacing=22) for row in drawn]
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


def _panel(model: ModelScores, shared: SharedInformation, source: str) -> alt.LayerChart:
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
