"""The figures of a report: points with means and intervals, and all effect sizes in one figure."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from understudy.report import theme
from understudy.report.charts import (
    WIDTH,
    effect_chart,
    equivalence_bounds,
    forest_chart,
    height_of,
    is_of_trials,
    is_paired,
    points_of,
    rows_chart,
    scatter_chart,
    thinned,
    with_watermark,
)
from understudy.report.theme import LIGHT, PILOT, SYNTHETIC
from understudy.schema import AnalysisPlan, EffectSize, Finding, Findings, GroupSummary, Hypothesis

# Ratings as distributions: the share of each point of the scale in each group, stacked in order.

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


class Figure(NamedTuple):
    """A chart with its file name, title, caption and text alternative."""

    name: str
    chart: alt.VConcatChart
    title: str
    caption: str
    description: str
    is_synthetic: bool


def finding_figure(
    finding: Finding,
    *,
    points: pd.DataFrame | None = None,
    hypothesis: Hypothesis | None = None,
    is_synthetic: bool = False,
) -> Figure | None:
    """Return a figure of a finding's points with means and intervals, or of intervals only if there are no points."""
    estimate = finding.estimate
    if estimate is None:
        return None
    rows = points_of(finding.hypothesis_id, points)
    parts: list[alt.Chart | alt.LayerChart] = []
    sentences: list[str] = []
    if _is_association(finding, hypothesis, rows):
        parts.append(scatter_chart(rows))
        sentences.append("Each point is one participant.")
    elif are_ratings(finding.analysis, rows):
        parts.append(rating_chart(rows, estimate.groups, hypothesis.outcome if hypothesis else "value"))
        sentences.append("Each bar is one group, divided by how often each point of the scale was chosen.")
    elif len(rows) or any(group.mean is not None for group in estimate.groups):
        parts.append(rows_chart(rows, estimate.groups, hypothesis.outcome if hypothesis else "value"))
        sentences.append(_rows_caption(rows, estimate.groups))
    effect = effect_chart(estimate)
    if effect is not None:
        span = estimate.interval
        sentences.append(
            f"{'Below: t' if parts else 'T'}he estimate{f' with its {theme.level(span)} interval' if span else ''}."
        )
        if equivalence_bounds(estimate):
            sentences.append("Solid lines mark the bounds of equivalence.")
        parts.append(effect)
    if not parts:
        return None
    return Figure(
        name=finding.hypothesis_id,
        chart=stacked(parts, is_synthetic=is_synthetic),
        title=f"{finding.hypothesis_id}: {finding.claim}",
        caption=" ".join(sentences),
        description=_in_words(finding, len(rows)),
        is_synthetic=is_synthetic,
    )


def forest_figure(findings: Findings) -> Figure | None:
    """Return a figure of all effect sizes, one panel per kind, since kinds cannot share an axis."""
    kinds: dict[str, list[tuple[str, EffectSize]]] = {}
    for finding in findings.findings:
        for size in finding.estimate.effect_sizes if finding.estimate else ():
            if size.value is not None:
                kinds.setdefault(size.name, []).append((finding.hypothesis_id, size))
    if not kinds:
        return None
    is_synthetic = findings.provenance.is_synthetic
    spoken = "; ".join(
        f"{label}, {name}: {theme.value_with_interval(size.value, size.interval)}"
        for name, sizes in kinds.items()
        for label, size in sizes
    )
    return Figure(
        name="effect-sizes",
        chart=stacked([forest_chart(name, sizes) for name, sizes in kinds.items()], is_synthetic=is_synthetic),
        title="Effect sizes",
        caption="One row per hypothesis. Each kind of effect size has its own axis; the dashed line marks no effect.",
        description=f"Effect sizes. {spoken}.",
        is_synthetic=is_synthetic,
    )


def all_figures(
    findings: Findings, *, points: pd.DataFrame | None = None, plan: AnalysisPlan | None = None
) -> tuple[Figure, ...]:
    """Return the figures of all hypotheses, and the figure of effect sizes."""
    claims = {claim.hypothesis_id: claim for claim in plan.hypotheses} if plan else {}
    drawn = [
        finding_figure(
            finding,
            points=points,
            hypothesis=claims.get(finding.hypothesis_id),
            is_synthetic=findings.provenance.is_synthetic,
        )
        for finding in findings.findings
    ]
    return tuple(figure for figure in (*drawn, forest_figure(findings)) if figure is not None)


def with_title(figure: Figure) -> alt.VConcatChart:
    """Return the chart with its title and caption, for use without its page."""
    lines = textwrap.wrap(figure.title, 58)
    below = [*([SYNTHETIC] if figure.is_synthetic else []), *textwrap.wrap(figure.caption, 72)]
    return figure.chart.properties(title=alt.Title(lines, subtitle=below, frame="bounds"))


def _is_association(finding: Finding, hypothesis: Hypothesis | None, points: pd.DataFrame) -> bool:
    if points["group"].nunique() != 2 or not is_paired(points):
        return False
    if hypothesis is not None:
        return hypothesis.other is not None
    return finding.estimate is not None and not finding.estimate.groups


def stacked(parts: Sequence[alt.Chart | alt.LayerChart], *, is_synthetic: bool) -> alt.VConcatChart:
    """Stack charts vertically; only the first gets the watermark, which would hide smaller ones."""
    first, *rest = parts
    top = with_watermark(first, height_of(first)) if is_synthetic else first
    return alt.vconcat(top, *rest, spacing=16)


def _rows_caption(points: pd.DataFrame, groups: Sequence[GroupSummary]) -> str:
    sentences = []
    if len(points):
        unit = "trial" if is_of_trials(points) else "participant"
        drawn = len(thinned(points))
        share = f" ({drawn:,} of {len(points):,} drawn)" if drawn < len(points) else ""
        sentences.append(f"Each grey point is one {unit}{share}.")
        if is_paired(points):
            sentences.append("Thin lines join the points of one participant.")
    spans = [group.interval for group in groups if group.interval is not None]
    if any(group.mean is not None for group in groups):
        sentences.append(f"Large dots are means{f' with {theme.level(spans[0])} intervals' if spans else ''}.")
    return " ".join(sentences)


def _in_words(finding: Finding, n_points: int) -> str:
    estimate = finding.estimate
    sentences = [f"Figure for hypothesis {finding.hypothesis_id}"]
    if n_points:
        sentences.append(f"{n_points:,} raw points")
    sentences += [
        f"{group.group}: mean {theme.value_with_interval(group.mean, group.interval)}, n {group.n:,}"
        for group in (estimate.groups if estimate else ())
        if group.mean is not None
    ]
    if estimate is not None and estimate.effect is not None:
        sentences.append(f"{estimate.effect_name}: {theme.value_with_interval(estimate.effect, estimate.interval)}")
    return "; ".join(sentences) + "."


# The mark of pilots: every figure of one says so, wherever it is copied to.


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
