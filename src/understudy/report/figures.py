"""The figures of a report: points with means and intervals, and all effect sizes in one figure."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from understudy.report import numbers
from understudy.report.charts import (
    effect_chart,
    equivalence_bounds,
    forest_chart,
    height_of,
    rows_chart,
    scatter_chart,
    with_watermark,
)
from understudy.report.rating_chart import are_ratings, rating_chart
from understudy.report.raw_points import is_of_trials, is_paired, points_of, thinned
from understudy.report.theme import SYNTHETIC
from understudy.schema import AnalysisPlan, EffectSize, Finding, Findings, GroupSummary, Hypothesis


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
            f"{'Below: t' if parts else 'T'}he estimate{f' with its {numbers.level(span)} interval' if span else ''}."
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
        f"{label}, {name}: {numbers.value_with_interval(size.value, size.interval)}"
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
        sentences.append(f"Large dots are means{f' with {numbers.level(spans[0])} intervals' if spans else ''}.")
    return " ".join(sentences)


def _in_words(finding: Finding, n_points: int) -> str:
    estimate = finding.estimate
    sentences = [f"Figure for hypothesis {finding.hypothesis_id}"]
    if n_points:
        sentences.append(f"{n_points:,} raw points")
    sentences += [
        f"{group.group}: mean {numbers.value_with_interval(group.mean, group.interval)}, n {group.n:,}"
        for group in (estimate.groups if estimate else ())
        if group.mean is not None
    ]
    if estimate is not None and estimate.effect is not None:
        sentences.append(f"{estimate.effect_name}: {numbers.value_with_interval(estimate.effect, estimate.interval)}")
    return "; ".join(sentences) + "."
