"""Figures of the material: importance of attributes, scores of maps, and joint distributions."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np

from understudy.deferred.pandas import pd
from understudy.errors import UnderstudyError
from understudy.report import theme
from understudy.report.charts import WIDTH, height_of, with_watermark
from understudy.report.drawing import write_chart, write_spec
from understudy.report.theme import LIGHT, SYNTHETIC, chart_config
from understudy.schema import Interval, RelevanceKey
from understudy.worlds.audit import Joint

_COLOURS = {"relevant": "#0f6b66", "irrelevant": "#9aa5ae"}


def importance_chart(table: pd.DataFrame, key: RelevanceKey) -> alt.LayerChart:
    """Draw R² of each attribute with its interval, and a line at the threshold of the verdicts."""
    rows = alt.Chart(table).encode(y=alt.Y("attribute:N", sort=None, title=None))
    colour = alt.Color("verdict:N", title=None).scale(domain=[*_COLOURS], range=[*_COLOURS.values()])
    bars = rows.mark_bar().encode(
        x=alt.X("r_squared:Q", title="R² of the change in the answer").scale(domain=[0, 1]), color=colour
    )
    lines = rows.mark_rule(color="#1c2733").encode(x="r_squared_low:Q", x2="r_squared_high:Q")
    threshold = alt.Chart(pd.DataFrame({"at": [key.rule.r_squared]})).mark_rule(strokeDash=[4, 4]).encode(x="at:Q")
    title = f"What {key.model} relies on in {key.world}"
    return alt.LayerChart(layer=[bars, lines, threshold]).properties(title=title, width=360)


# The score figure: an automatic score against people's mean answers, one point for each item.

SUFFIXES = (".svg", ".png")


class ScorePlot(NamedTuple):
    """What is drawn."""

    points: pd.DataFrame
    """Columns score, answer and n_answers."""
    score: str
    answer: str
    r: float
    interval: Interval
    is_synthetic: bool = False


def write_score_figure(plot: ScorePlot, path: Path) -> Path:
    """Draw one point for each item, with the correlation and its interval above."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    dots = alt.Chart(plot.points).mark_circle(opacity=0.6, color=LIGHT.accent)
    chart: alt.Chart = dots.encode(
        x=alt.X("score:Q", title=plot.score, scale=alt.Scale(zero=False, padding=12)),
        y=alt.Y("answer:Q", title=f"Mean of {plot.answer}", scale=alt.Scale(zero=False, padding=12)),
        size=alt.Size("n_answers:Q", title="Answers", scale=alt.Scale(range=[24, 90])),
    ).properties(width=WIDTH, height=230)
    drawn = with_watermark(chart, height_of(chart)) if plot.is_synthetic else chart
    decimals = 2
    said = f"r = {theme.number(plot.r, decimals=decimals)} {theme.interval(plot.interval, decimals=decimals)} over {len(plot.points)} items"
    below = [*([SYNTHETIC] if plot.is_synthetic else []), said]
    title = alt.Title(f"Does {plot.score} predict {plot.answer}?", subtitle=below, frame="bounds")
    return write_chart(alt.vconcat(drawn).properties(title=title), path)


# Joint distributions of a world: one attribute against others, for each class, as Fig. 3 of Sixt et al. (2022).

_PANEL = 180


def write_joint_figure(joints: Mapping[str, Joint], x: str, path: Path) -> Path:
    """Draw each joint distribution of `x` with another attribute, darker where more rows lie; a row for each class."""
    if path.suffix not in SUFFIXES:
        raise UnderstudyError(f"{path.name} ends in {path.suffix or 'nothing'!r}; draw to {' or '.join(SUFFIXES)}.")
    columns = [_column(joint, x, y) for y, joint in joints.items()]
    chart = alt.hconcat(*columns)
    return write_spec({**chart.to_dict(), "config": chart_config("paper")}, path)


def _column(joint: Joint, x: str, y: str) -> alt.VConcatChart:
    panels = [_panel(joint, x, y, name) for name in joint.counts]
    return alt.vconcat(*panels)


def _panel(joint: Joint, x: str, y: str, name: str) -> alt.Chart:
    counts = joint.counts[name]
    left, bottom = np.meshgrid(np.arange(counts.shape[0]), np.arange(counts.shape[1]), indexing="ij")
    frame = pd.DataFrame(
        {
            "x": joint.x_edges[left.ravel()],
            "x2": joint.x_edges[left.ravel() + 1],
            "y": joint.y_edges[bottom.ravel()],
            "y2": joint.y_edges[bottom.ravel() + 1],
            "n": counts.ravel(),
        }
    )
    chart: alt.Chart = (
        alt.Chart(frame[frame["n"] > 0], title=name)
        .mark_rect()
        .encode(
            alt.X("x:Q", title=x, scale=alt.Scale(domain=_ends(joint.x_edges), nice=False)),
            alt.X2("x2:Q"),
            alt.Y("y:Q", title=y, scale=alt.Scale(domain=_ends(joint.y_edges), nice=False)),
            alt.Y2("y2:Q"),
            # By the root, so that a few crowded edges leave the rest visible.
            alt.Color("n:Q", legend=None, scale=alt.Scale(type="sqrt", scheme="blues")),
        )
        .properties(width=_PANEL, height=_PANEL)
    )
    return chart


def _ends(edges: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
    return [float(edges[0]), float(edges[-1])]
