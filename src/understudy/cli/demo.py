"""`understudy demo`: the whole chain on a ready study, with simulated people and no external data."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from understudy.cli.findings_view import print_findings
from understudy.cli.progress import progress
from understudy.cli.studies import found_study
from understudy.schema import Effect
from understudy.workflow.casting import MIXED, with_effects
from understudy.workflow.rehearsal import rehearse_run
from understudy.workflow.reporting import report_of
from understudy.workflow.run_folder import new_run

EFFECT = Effect(when={"explanation": "shown"}, blocks=("predict",), questions=("prediction",), shift=0.7)


def demo(
    out: Annotated[Path, typer.Option(help="Folder to write to; it must not hold a run yet.")] = Path("runs/demo"),
    people: Annotated[
        int | None, typer.Option(min=2, help="How many simulated people arrive; until the study is full when absent.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated people.")] = 1,
) -> None:
    """Rehearse a ready study, run its plan and write its report. The last line printed is a JSON summary.

    Example: understudy demo --out runs/demo
    """
    found = found_study("loan-demo")
    run = new_run(found.study, found.root, out)
    total = people or sum(found.study.quota_of(cell) for cell in found.study.cells)
    with progress("Rehearsing", total) as advance:
        n_sessions = rehearse_run(
            run, with_effects(MIXED, (EFFECT,)), seed=seed, n_people=people, on_session=lambda: advance(1)
        )
    page = out / "report.html"
    findings = report_of(run, page).findings
    print_findings(findings, Console())
    typer.echo(f"\nThe report: {page.resolve().as_uri()}")
    summary = {
        "study": found.study.name,
        "synthetic": True,
        "recruited": n_sessions,
        "analysed": findings.flow.n_analysed,
        "verdicts": {one.hypothesis_id: one.verdict for one in findings.findings},
        "report": str(page),
    }
    typer.echo(json.dumps(summary))
