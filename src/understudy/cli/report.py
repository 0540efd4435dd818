"""`understudy report`: write the report of a run as one self-contained page."""

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from understudy.actions.report import report_of, scale_summaries, state_of
from understudy.actions.run_folder import OnProgress, Progress, existing_run, is_kept, write_progress
from understudy.estimate.study_findings import StudyResults
from understudy.protocols import published_results
from understudy.protocols.paper_comparison import paper_comparison_of, paper_tables_of
from understudy.report import (
    available_formats,
    check_language,
    write_figures,
    write_lay_page,
    write_paper_tables,
    write_pdf,
    write_translated,
)
from understudy.schema import Study

# How `understudy report` shows how far it has got: as a bar in a terminal, or in a file for the server.

_GENTLE = 10
"""Added to the niceness of a process in the background: participants come first."""
_PAUSE_S = 0.2
"""Between two notes in the file: a disk has better things to do."""


@contextmanager
def report_progress(background: Path | None) -> Iterator[OnProgress]:
    """Yield the function that is told about progress; in the background, give way to other processes."""
    if background is not None:
        if hasattr(os, "nice"):
            os.nice(_GENTLE)
        yield _into_file(background)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda now: bar.update(task, description=now.stage, completed=now.n_done, total=now.n)


def _into_file(path: Path) -> OnProgress:
    last_s = 0.0

    def note(now: Progress) -> None:
        nonlocal last_s
        if time.monotonic() - last_s >= _PAUSE_S:
            last_s = time.monotonic()
            write_progress(path, now)

    return note


class Copies(NamedTuple):
    """What is written besides the page; nothing where absent."""

    figures: Path | None = None
    pdf: Path | None = None
    language: str | None = None
    for_participants: Path | None = None


def report(
    folder: Path,
    *,
    out: Path | None,
    preregistration: Path | None,
    copies: Copies,
    again: bool,
    background: Path | None,
) -> None:
    """Write the report of a run: participant flow, every hypothesis, figures, deviations, software and digests."""
    if copies.language is not None:
        check_language(copies.language)
    run = existing_run(folder)
    page = out or folder / "report.html"
    study = run.script.study
    printed = published_results(study)
    tables = paper_tables_of(run, os.environ)
    is_page_only = printed is None and tables is None and copies == Copies()
    if is_page_only and not again and is_kept(page, state_of(run, preregistration)):
        typer.echo(f"{page} is up to date: neither the log nor the plan has changed. Use --again to write it anyway.")
        return
    with report_progress(background) as on_progress:
        results = report_of(run, page, preregistration=preregistration, on_progress=on_progress)
    typer.echo(f"Wrote {page}.")
    for summary in scale_summaries(run):
        typer.echo(summary.sentence)
    comparison = page.with_name("paper-comparison.html")
    if printed is not None:
        paper_comparison_of(run, results.findings, printed, comparison)
    elif tables is not None:
        write_paper_tables(results.findings, tables, comparison)
    if printed is not None or tables is not None:
        typer.echo(f"Wrote {comparison}, which compares these results with those of the paper.")
    _write_copies(copies, page, run.script.study, results)
    typer.echo(f"Next: understudy export {shlex.quote(str(folder))}")


def _write_copies(copies: Copies, page: Path, study: Study, results: StudyResults) -> None:
    if copies.figures is not None:
        written = write_figures(results.findings, copies.figures, points=results.points, plan=study.plan)
        typer.echo(f"Wrote {len(written)} figures into {copies.figures}.")
        if "png" not in available_formats():
            typer.echo("Figures as PNG need 'vl_convert': pip install 'understudy[figures]'")
    if copies.pdf is not None:
        typer.echo(f"Wrote {write_pdf(page, copies.pdf)}.")
    if copies.language is not None:
        typer.echo(f"Wrote {write_translated(page, copies.language)}. Claims and names stay as the study words them.")
    if copies.for_participants is not None:
        typer.echo(
            f"Wrote {write_lay_page(results.findings, copies.for_participants, study=study)} for people who took part."
        )
