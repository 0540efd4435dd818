"""The page that sets a study's results beside printed ones, in the shape of the paper's table and figures."""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from understudy.report import numbers, theme
from understudy.report.drawing import inline_svg
from understudy.report.figures import Figure
from understudy.report.page import Inline, page_environment
from understudy.report.paper_comparison.automatic_scores import ModelScores
from understudy.report.paper_comparison.automatic_section import AutomaticSection, automatic_section
from understudy.report.paper_comparison.figures import StripRow, column_figure, strip_figure
from understudy.report.paper_comparison.printed import Cell, Column, PrintedResults, Strip
from understudy.schema import Finding, Findings, GroupSummary


class Pair(NamedTuple):
    """A printed value and ours, as text."""

    printed: str
    ours: str
    n: str


class TableLine(NamedTuple):
    """A row of the table."""

    label: str
    pairs: tuple[Pair, ...]


class TestLine(NamedTuple):
    """A test as printed beside ours."""

    label: str
    printed: str
    ours: str


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
    figures = [_column_figure(findings, printed, place) for place in range(len(printed.columns))]
    labels = {row.group: row.label for row in printed.rows}
    figures += [
        strip_figure(
            strip, [one._replace(label=labels.get(one.label, one.label)) for one in rows], is_synthetic=is_synthetic
        )
        for strip, rows in strips
        if rows
    ]
    automatic = _automatic(findings, printed, ours or {})
    text = page_environment().get_template("paper_comparison.html.j2").render(
        findings=findings,
        provenance=findings.provenance,
        printed=printed,
        light=Markup(theme.style_variables(theme.LIGHT)),  # noqa: S704 - constants of this package
        dark=Markup(theme.style_variables(theme.DARK)),  # noqa: S704
        fonts={"sans": Markup(theme.SANS), "serif": Markup(theme.SERIF), "mono": Markup(theme.MONO)},  # noqa: S704
        lines=[_line(findings, printed, place) for place in range(len(printed.rows))],
        tests=_tests(findings.findings, printed),
        figures=[_inline(figure, f"figure-{k + 1}") for k, figure in enumerate(figures)],
        automatic=automatic,
        automatic_figures=[_inline(one, f"automatic-{k}") for k, one in enumerate(automatic.figures if automatic else ())],
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


def _mean(cell: Cell | None) -> float | None:
    return None if cell is None else cell.mean


def cell_of(findings: Findings, column: Column, group: str) -> tuple[Cell | None, int]:
    """Return our mean and population SD of a group in the paper's unit, and how many people are behind it."""
    found = _group(findings, column.description, group)
    if found is None or found.mean is None:
        return None, 0
    spread = 0.0 if found.sd is None else found.sd * sqrt((found.n - 1) / found.n)
    return Cell(found.mean * column.times, spread * column.times), found.n


def _group(findings: Findings, description: str, group: str) -> GroupSummary | None:
    tables = [one for one in findings.descriptions if one.description_id == description]
    return next((one for table in tables for one in table.groups if one.group == group), None)


def _line(findings: Findings, printed: PrintedResults, place: int) -> TableLine:
    row = printed.rows[place]
    pairs = []
    for column, cell in zip(printed.columns, row.cells, strict=True):
        ours, n = cell_of(findings, column, row.group)
        pairs.append(Pair(_words(cell, column), _words(ours, column), f"n = {n}" if n else "nobody yet"))
    return TableLine(row.label, tuple(pairs))


def _words(cell: Cell | None, column: Column) -> str:
    if cell is None:
        return numbers.DASH
    mean, sd = (numbers.number(one, decimals=column.decimals) for one in cell)
    return f"{mean} ± {sd}"


def _tests(findings: Sequence[Finding], printed: PrintedResults) -> list[TestLine]:
    ours = {one.hypothesis_id: one for one in findings}
    return [
        TestLine(one.label, one.words, _test_words(ours[one.hypothesis]))
        for one in printed.tests
        if one.hypothesis in ours
    ]


def _test_words(finding: Finding) -> str:
    if finding.estimate is None:
        return " ".join(finding.why) or "not tested"
    return f"{numbers.statistic(finding.estimate)}, {numbers.p_value(finding.estimate.p_value)}"


def _column_figure(findings: Findings, printed: PrintedResults, place: int) -> Figure:
    column = printed.columns[place]
    rows = [(row.label, row.cells[place], cell_of(findings, column, row.group)[0]) for row in printed.rows]
    return column_figure(column, rows, is_synthetic=findings.provenance.is_synthetic)


def _inline(figure: Figure, key: str) -> Inline:
    # Vega writes its text nodes and attributes escaped.
    drawn = Markup(inline_svg(figure, key))  # noqa: S704
    return Inline(key, drawn, figure.caption, figure.description, figure.is_synthetic)
