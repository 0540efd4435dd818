"""Write the page that compares a study's results with several printed tables."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from understudy.report import numbers
from understudy.report.figure_files import inline_svg
from understudy.report.figures import Figure
from understudy.report.page import Inline, page_environment
from understudy.report.paper_comparison.figures import Span, spans_figure
from understudy.report.paper_comparison.printed_tables import (
    PrintedTable,
    PrintedTables,
    TableColumn,
    TableLine,
    has_numbers,
    numbers_of,
)
from understudy.schema import Findings


class ShownLine(NamedTuple):
    """One line of a row: its source, and its numbers as text."""

    source: str
    cells: tuple[str, ...]
    is_ours: bool


class ShownRow(NamedTuple):
    """A row with its lines, printed first."""

    label: str
    lines: tuple[ShownLine, ...]


class ShownTable(NamedTuple):
    """A table as the template writes it."""

    key: str
    table: PrintedTable
    rows: tuple[ShownRow, ...]
    figure: Inline | None


def write_paper_tables(findings: Findings, printed: PrintedTables, path: Path) -> Path:
    """Write the page and return its path; tables and rows that the study does not plan are left out."""
    tables = [_shown(findings, table, f"table-{index + 1}") for index, table in enumerate(printed.tables)]
    text = page_environment().get_template("paper_tables.html.j2").render(
        findings=findings,
        provenance=findings.provenance,
        printed=printed,
        tables=[table for table in tables if table.rows],
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _shown(findings: Findings, table: PrintedTable, key: str) -> ShownTable:
    rows = [ShownRow(line.label, tuple(_lines(findings, table, line))) for line in table.lines]
    return ShownTable(key, table, tuple(row for row in rows if row.lines), _figure(findings, table, key))


def _lines(findings: Findings, table: PrintedTable, line: TableLine) -> Iterator[ShownLine]:
    if any(value is not None for value in line.printed):
        yield ShownLine("printed", _cells(line.printed, table.columns), is_ours=False)
    if any(value is not None for value in line.known):
        yield ShownLine("ours", _cells(line.known, table.columns), is_ours=True)
    for ours in line.ours:
        if has_numbers(findings, ours):
            values = numbers_of(findings, ours)
            scaled = [_scaled(value, column) for value, column in zip(values, table.columns, strict=True)]
            yield ShownLine(ours.words, _cells(tuple(scaled), table.columns), is_ours=True)


def _scaled(value: float | None, column: TableColumn) -> float | None:
    return None if value is None else value * column.times


def _cells(values: tuple[float | None, ...], columns: tuple[TableColumn, ...]) -> tuple[str, ...]:
    return tuple(_text(value, column) for value, column in zip(values, columns, strict=True))


def _text(value: float | None, column: TableColumn) -> str:
    if value is None:
        return numbers.DASH
    if column.kind == "count":
        return numbers.count(round(value))
    if column.kind == "p":
        return numbers.p_value(value).removeprefix("p ").removeprefix("= ")
    return numbers.number(value, decimals=column.decimals)


def _figure(findings: Findings, table: PrintedTable, key: str) -> Inline | None:
    if not table.drawn:
        return None
    drawn = [column.heading for column in table.columns].index(table.drawn)
    spans: list[Span] = []
    for line in table.lines:
        if any(value is not None for value in line.printed):
            spans += _spans(line.label, "printed", line.printed, drawn)
        for ours in line.ours[:1]:
            pairs = zip(numbers_of(findings, ours), table.columns, strict=True)
            spans += _spans(line.label, "ours", tuple(_scaled(value, column) for value, column in pairs), drawn)
    if not spans:
        return None
    is_synthetic = findings.provenance.is_synthetic
    figure: Figure = spans_figure(table.title, spans, axis=table.axis or table.drawn, is_synthetic=is_synthetic)
    # Vega writes its text nodes and attributes escaped.
    return Inline(key, Markup(inline_svg(figure, key)), figure.caption, figure.description)  # noqa: S704


def _spans(label: str, series: str, values: tuple[float | None, ...], column: int) -> list[Span]:
    middle, half = values[column], values[column + 1]
    return [] if middle is None or half is None else [Span(label, series, middle, half)]
