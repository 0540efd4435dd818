"""The mark of pilots: every figure of one says so, wherever it is copied to."""

import altair as alt

from understudy.report.figures import Figure
from understudy.report.theme import LIGHT, PILOT
from understudy.schema import Findings


def marked(figure: Figure | None, findings: Findings) -> Figure | None:
    """Return a figure of a pilot with its mark on the chart, in the title and in the caption; others as they are."""
    if figure is None or not findings.provenance.is_pilot:
        return figure
    label = alt.Title("PILOT RUN", anchor="end", fontSize=11, fontWeight=700, color=LIGHT.soft)
    return figure._replace(
        chart=figure.chart.properties(title=label),
        title=f"{figure.title} (pilot)",
        caption=f"{PILOT}. {figure.caption}",
    )
