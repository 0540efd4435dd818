"""Ratings as distributions: the share of each point of the scale in each group, stacked in order."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from understudy.report.charts import WIDTH
from understudy.schema import GroupSummary

_BY_ORDER = frozenset(
    {
        "aligned_rank_anova",
        "dunn",
        "friedman",
        "kruskal_wallis",
        "ordinal_mixed",
        "rank_sum",
        "rank_tost",
        "signed_rank",
    }
)
"""Analyses that use the order of values alone, so that a mean would say more than they do."""
_MOST_POINTS = 11
_ROW = 40


def are_ratings(analysis: str, points: pd.DataFrame) -> bool:
    """Tell whether values were analysed by their order and are a few whole numbers, as on a rating scale."""
    values = points["value"]
    return analysis in _BY_ORDER and 3 <= values.nunique() <= _MOST_POINTS and bool((values == values.round()).all())


def rating_chart(points: pd.DataFrame, groups: Sequence[GroupSummary], axis_title: str) -> alt.Chart:
    """Draw a bar for each group, divided by how often each point of the scale was chosen."""
    names = list(dict.fromkeys([*(group.group for group in groups), *points["group"]]))
    shares = points.groupby("group")["value"].value_counts(normalize=True).rename("share").reset_index()
    shares["rating"] = shares["value"].astype(int)
    counts = points["group"].value_counts()
    labels = {name: f"{name} (n = {int(counts.get(name, 0)):,})" for name in names}
    shares["row"] = shares["group"].map(labels)
    drawn: alt.Chart = (
        alt.Chart(shares)
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="Share of answers",
                axis=alt.Axis(format="%", tickCount=5),
                scale=alt.Scale(domain=[0, 1]),
            ),
            y=alt.Y("row:N", title=None, sort=[labels[name] for name in names], axis=alt.Axis(labelLimit=150)),
            # Colours run from one end of the scale to the other, so that order can be seen without reading.
            color=alt.Color("rating:O", title=axis_title, scale=alt.Scale(scheme="blues")),
            order=alt.Order("rating:Q"),
        )
        .properties(width=WIDTH, height=_ROW * len(names))
    )
    return drawn
