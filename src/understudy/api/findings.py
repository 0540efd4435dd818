"""Findings as text, table and figures: what a run and an analysis of another table share."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console

from understudy.cli.findings_view import print_findings
from understudy.deferred.pandas import pd
from understudy.errors import UnknownName, nearest
from understudy.report.figures import Figure, all_figures, with_title
from understudy.schema import AnalysisPlan, Findings
from understudy.schema.readable import FINDING_HEADINGS, finding_cells

if TYPE_CHECKING:
    import altair as alt


# What the command line prints, as text: the form that `print` and plain consoles show of a result.

WIDTH = 110
"""Characters in a line of the text form."""


def printed(write: Callable[[Console], None]) -> str:
    """Return what a function prints to a console."""
    written = io.StringIO()
    # In a notebook, a console would otherwise show each piece in the cell and leave the text empty.
    write(Console(file=written, width=WIDTH, color_system=None, force_jupyter=False))
    return written.getvalue()


EFFECTS = "effects"
"""The name of the figure of all effect sizes."""


def findings_text(findings: Findings) -> str:
    """Return findings as the command line prints them."""
    return printed(lambda console: print_findings(findings, console))


def findings_frame(findings: Findings) -> pd.DataFrame:
    """Return a row for each hypothesis."""
    return pd.DataFrame([finding_cells(finding) for finding in findings.findings], columns=list(FINDING_HEADINGS))


def figure_of(findings: Findings, name: str, *, points: pd.DataFrame, plan: AnalysisPlan) -> alt.VConcatChart:
    """Return a chart by its name: the id of a hypothesis, or `effects` for all effect sizes."""
    figures = {_public_name(figure): figure for figure in all_figures(findings, points=points, plan=plan)}
    if name not in figures:
        raise UnknownName(f"There is no figure {name!r}.{nearest(name, figures)} There are: {', '.join(figures)}.")
    return with_title(figures[name])


def _public_name(figure: Figure) -> str:
    return EFFECTS if figure.name == "effect-sizes" else figure.name
