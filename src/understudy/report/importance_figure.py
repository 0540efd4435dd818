"""The figure of importance: how far a model's answers follow each attribute of its pictures."""

import altair as alt

from understudy.deferred.pandas import pd
from understudy.schema import RelevanceKey

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
