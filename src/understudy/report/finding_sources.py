"""Where a finding comes from: the numbers that were analysed, and the code that analysed them, inside the page itself."""

import base64
import inspect
import io
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from understudy import registry
from understudy.errors import UnknownName
from understudy.schema import Finding
from understudy.sources.csv_text import write_csv

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
