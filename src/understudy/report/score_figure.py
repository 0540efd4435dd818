"""The score figure: an automatic score against people's mean answers, one point for each item."""

from pathlib import Path
from typing import NamedTuple

import altair as alt
import pandas as pd

from understudy.errors import UnderstudyError
from understudy.report import numbers
from understudy.report.charts import WIDTH, height_of, with_watermark
from understudy.report.figure_files import write_chart
from understudy.report.theme import LIGHT, SYNTHETIC
from understudy.schema import Interval

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
    said = f"r = {numbers.number(plot.r, decimals=decimals)} {numbers.interval(plot.interval, decimals=decimals)} over {len(plot.points)} items"
    below = [*([SYNTHETIC] if plot.is_synthetic else []), said]
    title = alt.Title(f"Does {plot.score} predict {plot.answer}?", subtitle=below, frame="bounds")
    return write_chart(alt.vconcat(drawn).properties(title=title), path)
