"""The power figure: the share of simulated studies that support each hypothesis, with its Monte Carlo interval."""

from collections.abc import Sequence
from pathlib import Path

import altair as alt
import pandas as pd

from understudy.errors import UnderstudyError
from understudy.report.figure_files import write_chart
from understudy.report.theme import LIGHT, SYNTHETIC
from understudy.schema import PowerPoint

SUFFIXES = (".svg", ".png")


def write_power_figure(points: Sequence[PowerPoint], path: Path, *, target: float = 0.8) -> Path:
    """Draw power against size: a line for each effect, a panel for each hypothesis and each number of items."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    return write_chart(power_chart(points, target=target), path)


def power_chart(points: Sequence[PowerPoint], *, target: float = 0.8) -> alt.FacetChart:
    """Return the chart itself, for a notebook."""
    frame = pd.DataFrame(
        [{**point.model_dump(), "effect": f"{point.effect:g}", "panel": _panel(point)} for point in points]
    )
    x = alt.X("quota:Q", title="Completed participants per condition", scale=alt.Scale(zero=False, padding=12))
    hue = alt.Color("effect:N", title="Effect")
    # Layers have no data of their own: theirs would replace a panel's part of the frame by all of it.
    lines = alt.Chart().mark_line(point=alt.OverlayMarkDef(size=45)).encode(
        x, alt.Y("power:Q", title="Power", scale=alt.Scale(domain=[0, 1])), hue
    )  # fmt: skip
    spans = alt.Chart().mark_rule().encode(x, alt.Y("low:Q"), alt.Y2("high:Q"), hue)
    goal = alt.Chart().mark_rule(strokeDash=[4, 4], color=LIGHT.line).encode(y=alt.datum(target))
    # One panel is narrower than the whole sentence, which would be cut off.
    mark, meaning = SYNTHETIC.split(" — ")
    return (
        alt.layer(goal, lines, spans, data=frame)
        .properties(width=320, height=220)
        .facet(
            alt.Facet("panel:N", title=None, sort=list(dict.fromkeys(frame["panel"]))),
            columns=2,
            title=alt.Title(mark, subtitle=meaning),
        )
    )


def _panel(point: PowerPoint) -> str:
    return point.hypothesis_id if point.n_items is None else f"{point.hypothesis_id}, {point.n_items} items"
