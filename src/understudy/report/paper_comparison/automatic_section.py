"""The section of a page that compares automatic scores of models with people's results."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from understudy.report import numbers
from understudy.report.figures import Figure
from understudy.report.paper_comparison.automatic_scores import ModelScores
from understudy.report.paper_comparison.printed import PrintedResults
from understudy.report.paper_comparison.scores_figure import (
    SCORES,
    OrderLine,
    Score,
    ScoredModel,
    order_lines,
    scores_figure,
)
from understudy.report.paper_comparison.shared_figure import shared_figure


class ScoreLine(NamedTuple):
    """A row of the table of scores."""

    label: str
    sources: tuple[tuple[str, tuple[str, ...]], ...]
    """Printed and ours, each with one number for each score."""


class DialLine(NamedTuple):
    """A row of the table of dials."""

    model: str
    dial: str
    strongest: str
    dci: str
    error: str


class AutomaticSection(NamedTuple):
    """Everything the section shows."""

    headings: tuple[str, ...]
    lines: tuple[ScoreLine, ...]
    orders: tuple[OrderLine, ...]
    dials: tuple[DialLine, ...]
    figures: tuple[Figure, ...]
    """The scores against people, then one figure of heat maps per data set."""


def automatic_section(
    printed: PrintedResults,
    ours: Mapping[str, ModelScores],
    measured: Mapping[str, tuple[float | None, ...]],
    *,
    is_synthetic: bool,
) -> AutomaticSection | None:
    """Return the section, or None if neither the paper nor the run scores any model.

    `measured` holds, for each group, our mean of every printed measure and of every further one.
    """
    if not printed.scores and not ours:
        return None
    models = _scored_models(printed, ours, measured)
    measures = (*printed.columns, *printed.further)
    drawn = scores_figure(
        models, measures, is_synthetic=is_synthetic and any(model.source == "ours" for model in models)
    )
    columns = [
        index for index, score in enumerate(SCORES) if any(_has(scores, score) for scores in (printed.scores, ours))
    ]
    return AutomaticSection(
        headings=tuple(SCORES[index].heading for index in columns),
        lines=tuple(_lines(printed, ours, columns)),
        orders=tuple(
            line._replace(counts=tuple(line.counts[index] for index in columns))
            for line in order_lines(models, measures)
        ),
        dials=tuple(line for scores in ours.values() for line in dial_lines(scores)),
        figures=tuple(figure for figure in (drawn, *_heat_maps(printed, ours)) if figure is not None),
    )


def _has(scores: Mapping[str, ModelScores], score: Score) -> bool:
    return any(getattr(model, score.name) is not None for model in scores.values())


def _scored_models(
    printed: PrintedResults, ours: Mapping[str, ModelScores], measured: Mapping[str, tuple[float | None, ...]]
) -> list[ScoredModel]:
    models = []
    for row in printed.rows:
        if row.group in printed.scores:
            cells = [None if cell is None else cell.mean for cell in row.cells] + [None] * len(printed.further)
            models.append(ScoredModel(printed.scores[row.group], "printed", tuple(cells)))
        if row.group in ours:
            models.append(ScoredModel(ours[row.group], "ours", measured[row.group]))
    return models


def _lines(printed: PrintedResults, ours: Mapping[str, ModelScores], columns: Sequence[int]) -> list[ScoreLine]:
    groups = dict.fromkeys([*printed.scores, *ours])
    lines = []
    for group in groups:
        sources = [("printed", printed.scores.get(group)), ("ours", ours.get(group))]
        present = [(source, scores) for source, scores in sources if scores is not None]
        lines.append(
            ScoreLine(present[0][1].label, tuple((source, _written(scores, columns)) for source, scores in present))
        )
    return lines


def _written(scores: ModelScores, columns: Sequence[int]) -> tuple[str, ...]:
    values = [(getattr(scores, SCORES[index].name), 3 if SCORES[index].is_share else 2) for index in columns]
    return tuple(numbers.DASH if value is None else numbers.number(value, decimals=digits) for value, digits in values)


def _heat_maps(printed: PrintedResults, ours: Mapping[str, ModelScores]) -> list[Figure | None]:
    data = dict.fromkeys(scores.data for scores in (*printed.scores.values(), *ours.values()))
    return [
        shared_figure(dataset, _of(printed.scores.values(), dataset), _of(ours.values(), dataset)) for dataset in data
    ]


def _of(scores: Iterable[ModelScores], data: str) -> list[ModelScores]:
    return [model for model in scores if model.data == data]


def dial_lines(scores: ModelScores) -> list[DialLine]:
    """Return the rows for the dials of a model; empty if nothing is known about them."""
    strongest = scores.shared.strongest if scores.shared else ()
    return [
        DialLine(
            scores.label,
            name,
            strongest[k] if k < len(strongest) else numbers.DASH,
            numbers.number(scores.dci_by_dial[k], decimals=2) if k < len(scores.dci_by_dial) else numbers.DASH,
            numbers.number(scores.error_without[k], decimals=1) if k < len(scores.error_without) else numbers.DASH,
        )
        for k, name in enumerate(scores.dials)
        if strongest or scores.error_without
    ]
