"""The page that compares a study's results with a paper's tables and figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from understudy.report import theme
from understudy.report.charts import unchecked
from understudy.report.drawing import inline_svg
from understudy.report.figures import Figure
from understudy.report.page import Inline, page_environment
from understudy.report.paper_comparison.figures import Span, StripRow, column_figure, spans_figure, strip_figure
from understudy.report.paper_comparison.printed import (
    ModelScores,
    OurNumbers,
    PrintedColumn,
    PrintedMean,
    PrintedResults,
    PrintedTable,
    PrintedTables,
    Spread,
    Strip,
    TableColumn,
    TableLine,
    has_numbers,
    numbers_of,
)
from understudy.report.paper_comparison.score_figures import (
    SCORES,
    OrderLine,
    Score,
    ScoredModel,
    order_lines,
    scores_figure,
    shared_figure,
)
from understudy.schema import Finding, Findings, GroupSummary

# The section of a page that compares automatic scores of models with people's results.


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
    return tuple(theme.DASH if value is None else theme.number(value, decimals=digits) for value, digits in values)


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
            strongest[k] if k < len(strongest) else theme.DASH,
            theme.number(scores.dci_by_dial[k], decimals=2) if k < len(scores.dci_by_dial) else theme.DASH,
            theme.number(scores.error_without[k], decimals=1) if k < len(scores.error_without) else theme.DASH,
        )
        for k, name in enumerate(scores.dials)
        if strongest or scores.error_without
    ]


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
        return theme.DASH
    mean, spread = (theme.number(value, decimals=column.decimals) for value in cell)
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
    return f"{theme.statistic(finding.estimate)}, {theme.p_value(finding.estimate.p_value)}"


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


# Write the page that compares a study's results with several printed tables.


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
    rows = [ShownRow(line.label, tuple(_tables_lines(findings, table, line))) for line in table.lines]
    return ShownTable(key, table, tuple(row for row in rows if row.lines), _figure(findings, table, key))


def _tables_lines(findings: Findings, table: PrintedTable, line: TableLine) -> Iterator[ShownLine]:
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
        return theme.DASH
    if column.kind == "count":
        return theme.count(round(value))
    if column.kind == "p":
        return theme.p_value(value).removeprefix("p ").removeprefix("= ")
    return theme.number(value, decimals=column.decimals)


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
