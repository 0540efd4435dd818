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
from understudy.report.paper_comparison.printed import Spread
from understudy.report.paper_comparison.printed_tables import (
    OurNumbers,
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
    spans = drawn_spans(findings, table)
    if not spans:
        return None
    is_synthetic = findings.provenance.is_synthetic
    figure: Figure = spans_figure(
        table.title, spans, axis=table.axis or table.drawn, limits=table.limits, is_synthetic=is_synthetic
    )
    # Vega writes its text nodes and attributes escaped.
    return Inline(key, Markup(inline_svg(figure, key)), figure.caption, figure.description)  # noqa: S704


def drawn_spans(findings: Findings, table: PrintedTable) -> list[Span]:
    """Return what the figure of a table draws: printed and ours with their spreads, none without a drawn column."""
    if not table.drawn:
        return []
    drawn = [column.heading for column in table.columns].index(table.drawn)
    spans: list[Span] = []
    for line in table.lines:
        if any(value is not None for value in line.printed):
            spans += _printed_span(line, table, drawn)
        for ours in line.ours[:1]:
            spans += _our_span(line.label, numbers_of(findings, _drawn_numbers(ours, drawn)), table.columns[drawn:])
    return spans


def _printed_span(line: TableLine, table: PrintedTable, drawn: int) -> list[Span]:
    """Return what is drawn of a printed line: ± the next column, or from it to the one after it."""
    spread, middle, *around = _spread_after(table.columns, drawn), *line.printed[drawn : drawn + 3]
    if middle is None or not around or around[0] is None:
        return []
    if spread.kind != "low":
        return [Span(line.label, "printed", middle, middle - around[0], middle + around[0], spread)]
    return [] if around[1] is None else [Span(line.label, "printed", middle, around[0], around[1], spread)]


def _spread_after(columns: tuple[TableColumn, ...], drawn: int) -> Spread:
    spread = columns[drawn + 1].spread if drawn + 1 < len(columns) else None
    if spread is None:
        raise ValueError(
            f"Column {columns[drawn].heading!r} is drawn, but the column after it does not say what it is. Give it a "
            "`spread`, such as SD or HALF_95."
        )
    return spread


def _drawn_numbers(ours: OurNumbers, drawn: int) -> OurNumbers:
    """Return where our drawn number, the number next to it and the ends and level of its interval are."""
    middle, around = ours.quantities[drawn : drawn + 2]
    of_group = around.partition(".")[2]
    ends = (f"{name}.{of_group}" if of_group else name for name in ("low", "high", "level"))
    return ours._replace(quantities=(middle, around, *ends))


def _our_span(label: str, values: tuple[float | None, ...], columns: tuple[TableColumn, ...]) -> list[Span]:
    """Return what is drawn of our line: ours is the same kind of spread, and an interval has its own ends and level."""
    middle, around, low, high, level = values
    spread, times = _spread_after(columns, 0), columns[0].times
    if middle is None or around is None:
        return []
    if spread.level is None:
        ends: tuple[float | None, ...] = (middle - around, middle + around)
    else:
        ends, spread = (low, high), spread._replace(level=level)
    if ends[0] is None or ends[1] is None:
        return []
    return [Span(label, "ours", middle * times, ends[0] * times, ends[1] * times, spread)]
