"""`understudy demo`: a ready study to try, watch and read about, with simulated people."""

import json
import shlex
import webbrowser
from pathlib import Path

import typer
from rich.console import Console

from understudy.actions.casts import MIXED, with_effects
from understudy.actions.demo import EFFECT, Arrivals, demo_app, demo_runs, listening_from
from understudy.actions.rehearse import rehearse_run
from understudy.actions.report import report_of
from understudy.actions.run_folder import new_run
from understudy.cli.findings_view import print_findings
from understudy.cli.progress import progress
from understudy.cli.studies import LocatedStudy, load_study
from understudy.serve import host_app

CAST = with_effects(MIXED, (EFFECT,))


def demo(
    *, out: Path, people: int | None, seed: int, port: int, per_second: float, once: bool, open_page: bool
) -> None:
    """Show a ready study on this machine: take part, watch simulated people, and read the report."""
    located = load_study("loan-demo")
    if once:
        _once(located, out, people=people, seed=seed)
        return
    runs = demo_runs(located.study, located.root, out)
    if not runs.is_fresh:
        typer.echo(f"{out} has an earlier demo, which continues. Delete the folder to start over.")
    listening = listening_from(port)
    at = listening.getsockname()[1]
    if at != port:
        typer.echo(f"Port {port} is in use, so this is port {at}.")
    address = f"http://127.0.0.1:{at}/"
    with listening, demo_app(runs, Arrivals(CAST, seed, per_second, people), at) as app:
        typer.echo(f"The demo: {address}\nIt runs until you press Ctrl-C.")
        if open_page:
            webbrowser.open(address)
        host_app(app, host="127.0.0.1", port=at, log_level="warning", listening=listening)
    typer.echo(f"\nStopped; everything is kept in {out}.")
    typer.echo(f"Next: understudy report {shlex.quote(str(out / 'simulated'))}")


def _once(located: LocatedStudy, out: Path, *, people: int | None, seed: int) -> None:
    run = new_run(located.study, located.root, out)
    total = people or sum(located.study.quota_of(cell) for cell in located.study.cells)
    with progress("Rehearsing", total) as advance:
        n_sessions = rehearse_run(run, CAST, seed=seed, n_people=people, on_session=lambda: advance(1))
    page = out / "report.html"
    findings = report_of(run, page).findings
    print_findings(findings, Console())
    typer.echo(f"\nThe report: {page.resolve().as_uri()}")
    summary = {
        "study": located.study.name,
        "synthetic": True,
        "recruited": n_sessions,
        "analysed": findings.flow.n_analysed,
        "verdicts": {finding.hypothesis_id: finding.verdict for finding in findings.findings},
        "report": str(page),
    }
    typer.echo(json.dumps(summary))
