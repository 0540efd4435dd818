"""`understudy report`: write the report of a run as one self-contained page."""

import os
import shlex
from pathlib import Path

import typer

from understudy.cli.report_progress import report_progress
from understudy.protocols import published_results
from understudy.protocols.paper_comparison import paper_comparison_of, paper_tables_of
from understudy.report import write_figures, write_paper_tables, write_pdf
from understudy.workflow.kept_report import is_kept
from understudy.workflow.reliability import scale_summaries
from understudy.workflow.reporting import report_of, state_of
from understudy.workflow.run_folder import existing_run


def report(
    folder: Path,
    *,
    out: Path | None,
    preregistration: Path | None,
    figures: Path | None,
    pdf: Path | None,
    again: bool,
    background: Path | None,
) -> None:
    """Write the report of a run: participant flow, every hypothesis, figures, deviations, software and digests."""
    run = existing_run(folder)
    page = out or folder / "report.html"
    study = run.script.study
    printed = published_results(study)
    tables = paper_tables_of(run, os.environ)
    is_page_only = printed is None and tables is None and figures is None and pdf is None
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
    if figures is not None:
        written = write_figures(results.findings, figures, points=results.points, plan=run.script.study.plan)
        typer.echo(f"Wrote {len(written)} figures into {figures}.")
    if pdf is not None:
        typer.echo(f"Wrote {write_pdf(page, pdf)}.")
    typer.echo(f"Next: understudy export {shlex.quote(str(folder))}")
