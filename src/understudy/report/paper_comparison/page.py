"""Write the page that compares a study's results with a paper's table and figures."""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from understudy.report import numbers
from understudy.report.charts import unchecked
from understudy.report.figure_files import inline_svg
from understudy.report.figures import Figure
from understudy.report.page import Inline, page_environment
from understudy.report.paper_comparison.automatic_scores import ModelScores
from understudy.report.paper_comparison.automatic_section import AutomaticSection, automatic_section
from understudy.report.paper_comparison.figures import StripRow, column_figure, strip_figure
from understudy.report.paper_comparison.printed import PrintedColumn, PrintedMean, PrintedResults, Strip
from understudy.schema import Finding, Findings, GroupSummary


class ComparedValue(NamedTuple):
    """A printed value and ours, as text."""

    printed: str
    ours: str
    n: str


class ComparedRow(NamedTuple):
    """A row of the table."""

    label: str
    pairs: tuple[ComparedValue, ...]


class ComparedTest(NamedTuple):
    """A printed test and ours."""

    label: str
    printed: str
    ours: str


@unchecked
def write_paper_comparison(
    findings: Findings,
    printed: PrintedResults,
    path: Path,
    *,
    strips: Sequence[tuple[Strip, Sequence[StripRow]]] = (),
    ours: Mapping[str, ModelScores] | None = None,
    gaps: Sequence[str] = (),
) -> Path:
    """Write the page and return its path.

    `strips` holds the figures over single trials with their rows, `ours` the automatic scores of our models by group,
    and `gaps` why some models have none.
    """
    is_synthetic = findings.provenance.is_synthetic
    figures = [_column_figure(findings, printed, column) for column in range(len(printed.columns))]
    figures += _further_figures(findings, printed)
    labels = {row.group: row.label for row in printed.rows}
    figures += [
        strip_figure(
            strip, [row._replace(label=labels.get(row.label, row.label)) for row in rows], is_synthetic=is_synthetic
        )
        for strip, rows in strips
        if rows
    ]
    automatic = _automatic(findings, printed, ours or {})
    text = page_environment().get_template("paper_comparison.html.j2").render(
        findings=findings,
        provenance=findings.provenance,
        printed=printed,
        spreads=" or ".join(dict.fromkeys(column.spread.symbol for column in printed.columns)),
        lines=[_line(findings, printed, row) for row in range(len(printed.rows))],
        tests=_tests(findings.findings, printed),
        figures=[_inline(figure, f"figure-{k + 1}") for k, figure in enumerate(figures)],
        automatic=automatic,
        automatic_figures=[_inline(figure, f"automatic-{k}") for k, figure in enumerate(automatic.figures if automatic else ())],
        gaps=gaps,
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _automatic(findings: Findings, printed: PrintedResults, ours: Mapping[str, ModelScores]) -> AutomaticSection | None:
    measures = (*printed.columns, *printed.further)
    measured = {
        row.group: tuple(_mean(cell_of(findings, column, row.group)[0]) for column in measures) for row in printed.rows
    }
    return automatic_section(printed, ours, measured, is_synthetic=findings.provenance.is_synthetic)


def _mean(cell: PrintedMean | None) -> float | None:
    return None if cell is None else cell.mean


def cell_of(findings: Findings, column: PrintedColumn, group: str) -> tuple[PrintedMean | None, int]:
    """Return our mean of a group and the spread that the column names, in the paper's unit, and the number of people."""
    group_row = _group(findings, column.description, group)
    if group_row is None or group_row.mean is None:
        return None, 0
    return PrintedMean(group_row.mean * column.times, _spread(group_row, column) * column.times), group_row.n


def _spread(group: GroupSummary, column: PrintedColumn) -> float:
    sd = 0.0 if group.sd is None else group.sd
    match column.spread.kind:
        case "sd":
            return sd
        case "population_sd":
            return sd * sqrt((group.n - 1) / group.n)
        case "se":
            return sd / sqrt(group.n)
    raise ValueError(f"Column {column.heading!r} prints {column.spread.words}; a column of means has an SD or an SE.")


def _group(findings: Findings, description: str, group: str) -> GroupSummary | None:
    tables = [table for table in findings.descriptions if table.description_id == description]
    return next((row for table in tables for row in table.groups if row.group == group), None)


def _line(findings: Findings, printed: PrintedResults, number: int) -> ComparedRow:
    row = printed.rows[number]
    pairs = []
    for column, cell in zip(printed.columns, row.cells, strict=True):
        ours, n = cell_of(findings, column, row.group)
        pairs.append(ComparedValue(_words(cell, column), _words(ours, column), f"n = {n}" if n else "nobody yet"))
    return ComparedRow(row.label, tuple(pairs))


def _words(cell: PrintedMean | None, column: PrintedColumn) -> str:
    if cell is None:
        return numbers.DASH
    mean, spread = (numbers.number(value, decimals=column.decimals) for value in cell)
    return f"{mean} ± {spread}"


def _tests(findings: Sequence[Finding], printed: PrintedResults) -> list[ComparedTest]:
    ours = {finding.hypothesis_id: finding for finding in findings}
    return [
        ComparedTest(test.label, test.words, _test_words(ours[test.hypothesis]))
        for test in printed.tests
        if test.hypothesis in ours
    ]


def _test_words(finding: Finding) -> str:
    if finding.estimate is None:
        return " ".join(finding.why) or "not tested"
    return f"{numbers.statistic(finding.estimate)}, {numbers.p_value(finding.estimate.p_value)}"


def _column_figure(findings: Findings, printed: PrintedResults, number: int) -> Figure:
    column = printed.columns[number]
    rows = [(row.label, row.cells[number], cell_of(findings, column, row.group)[0]) for row in printed.rows]
    return column_figure(column, rows, is_synthetic=findings.provenance.is_synthetic)


def _further_figures(findings: Findings, printed: PrintedResults) -> list[Figure]:
    """Return a figure for each measure that the paper draws without printing its numbers, where we have values."""
    figures = []
    for column in printed.further:
        rows = [(row.label, None, cell_of(findings, column, row.group)[0]) for row in printed.rows]
        if any(ours is not None for _, _, ours in rows):
            figures.append(column_figure(column, rows, is_synthetic=findings.provenance.is_synthetic))
    return figures


def _inline(figure: Figure, key: str) -> Inline:
    # Vega writes its text nodes and attributes escaped.
    drawn = Markup(inline_svg(figure, key))  # noqa: S704
    return Inline(key, drawn, figure.caption, figure.description, figure.is_synthetic)
