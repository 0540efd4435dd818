"""Sections of a report that are tables: missing answers, names of dials, scales, and sources of findings."""

import base64
import inspect
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from understudy import registry
from understudy.errors import UnknownName
from understudy.report import theme
from understudy.report.cards import DisplayValue
from understudy.report.wording import readable
from understudy.schema import DialNames, Finding, MissingAnswers
from understudy.schema.scales import ScaleSummary
from understudy.sources.csv_text import write_csv

_OPEN = DisplayValue(theme.DASH, "no fixed number for a person")


class MissingLine(NamedTuple):
    """One stage in one condition."""

    condition: str
    stage: str
    people: str
    left: str
    reached: str
    expected: DisplayValue
    missing: DisplayValue
    share: DisplayValue


def missing_lines(missing: Sequence[MissingAnswers]) -> tuple[MissingLine, ...]:
    """Return the rows of missing answers by condition and stage."""
    return tuple(_line(row) for row in missing)


def _line(row: MissingAnswers) -> MissingLine:
    expected = row.n_expected
    lost = None if expected is None else expected - row.n_given
    return MissingLine(
        condition=row.condition,
        stage=readable(row.block_id),
        people=theme.count(row.n_people),
        left=theme.count(row.n_left),
        reached=theme.count(row.n_reached),
        expected=_OPEN if expected is None else DisplayValue(theme.count(expected)),
        missing=_OPEN if lost is None else DisplayValue(theme.count(lost)),
        share=_OPEN if lost is None or not expected else DisplayValue(f"{lost / expected:.1%}"),
    )


# The table of names that people gave to dials, as text.


class NamesLine(NamedTuple):
    """A row of the table as text."""

    group: str
    dial: str
    named: str
    common: str
    same: str
    agreement: str
    elsewhere: str


def names_lines(dials: Sequence[DialNames]) -> list[NamesLine]:
    """Return the rows of the table."""
    return [
        NamesLine(
            dial.group,
            f"Dial #{dial.dial}",
            f"{dial.n_named} of {dial.n_people}",
            "; ".join(f"{name} ({n})" for name, n in dial.common) or theme.DASH,
            f"{dial.n_same} of {dial.n_pairs}" if dial.n_pairs else theme.DASH,
            _agreement(dial),
            theme.DASH if dial.elsewhere is None else theme.number(dial.elsewhere, decimals=2),
        )
        for dial in dials
    ]


def _agreement(dial: DialNames) -> str:
    if dial.agreement is None:
        return theme.DASH
    text = theme.number(dial.agreement, decimals=2)
    return text if dial.interval is None else f"{text} {theme.interval(dial.interval, decimals=2)}"


# The table of scales: composite score and reliability, as text.


class ScaleLine(NamedTuple):
    """A row of the table as text."""

    measure: str
    source: str
    items: str
    people: str
    score: str
    mean: str
    sd: str
    alpha: str


def scale_lines(summaries: Sequence[ScaleSummary]) -> list[ScaleLine]:
    """Return the rows of the table."""
    return [
        ScaleLine(
            summary.measure,
            summary.source or theme.DASH,
            f"{summary.n_items}, 1 to {summary.points}",
            str(summary.n_people),
            summary.score,
            _text(summary.mean),
            _text(summary.sd),
            _text(summary.alpha),
        )
        for summary in summaries
    ]


def _text(value: float | None) -> str:
    return theme.DASH if value is None else theme.number(value, decimals=2)


# Where a finding comes from: the numbers that were analysed, and the code that analysed them, inside the page itself.

MOST_ROWS = 2000
"""Larger tables would make the page heavy; the archive of the run has them."""


class DataLink(NamedTuple):
    """The analysed numbers of one finding, as a file inside the page."""

    file_name: str
    address: str
    n_rows: int


class AnalysisCode(NamedTuple):
    """The code of one analysis."""

    name: str
    module: str
    sentence: str
    source: str


def data_links(findings: Sequence[Finding], points: pd.DataFrame | None) -> tuple[DataLink | None, ...]:
    """Return the analysed numbers of each finding; None where there are none, or too many for a page."""
    if points is None or not len(points):
        return tuple(None for _ in findings)
    tables: Mapping[object, pd.DataFrame] = dict(iter(points.groupby("hypothesis_id")))
    return tuple(_data_link(k + 1, tables.get(finding.hypothesis_id)) for k, finding in enumerate(findings))


def _data_link(order: int, table: pd.DataFrame | None) -> DataLink | None:
    if table is None or len(table) > MOST_ROWS:
        return None
    text = io.StringIO()
    write_csv(table, text)
    address = f"data:text/csv;base64,{base64.b64encode(text.getvalue().encode()).decode()}"
    return DataLink(f"hypothesis-{order}.csv", address, len(table))


def analysis_codes(findings: Sequence[Finding]) -> dict[str, AnalysisCode]:
    """Return the code of every analysis that ran, by name; unknown names are left out."""
    codes: dict[str, AnalysisCode] = {}
    for name in sorted({finding.analysis for finding in findings}):
        try:
            code = registry.entry("analyses", name)
            source = inspect.getsource(code)
        except (UnknownName, OSError):
            # A finding can be of an analysis that this environment lacks, or of one typed into a notebook.
            continue
        sentence = (inspect.getdoc(code) or "").partition("\n")[0]
        codes[name] = AnalysisCode(name, code.__module__, sentence, source)
    return codes
