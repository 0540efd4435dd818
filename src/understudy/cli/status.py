"""`understudy status`: show the counts of each condition from the log."""

import json
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.workflow.runs.condition_status import shown_status
from understudy.workflow.runs.log_losses import doubts_in
from understudy.workflow.runs.run_folder import existing_run


def status(folder: Path, *, as_json: bool) -> None:
    """Show how many people completed, are under way, left or were excluded, condition by condition."""
    run = existing_run(folder)
    rows = shown_status(run)
    for sentence in doubts_in(run):
        typer.echo(sentence, err=True)
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows], indent=2))
        return
    table = Table(title=f"{folder} (pilot)" if run.script.study.pilot_of is not None else f"{folder}")
    for heading in ("condition", "people", "wanted", "completed", "active", "excluded", "left"):
        table.add_column(heading, justify="left" if heading in ("condition", "people") else "right")
    for row in rows:
        kind = "synthetic" if row.kind == "synthetic" else "people"
        table.add_row(
            row.condition,
            kind,
            str(row.quota),
            str(row.n_completed),
            str(row.n_active),
            str(row.n_excluded),
            str(row.n_left),
        )
    Console().print(table)
    if run.script.study.plan.blinded and {row.condition for row in rows}.isdisjoint(
        cell.name for cell in run.script.study.cells
    ):
        typer.echo(
            "The study is blinded. The letters are the same as on the dashboard; understudy monitor --unblind shows the names."
        )
    sequential = run.script.study.plan.sequential
    if sequential is not None:
        kinds = tuple(dict.fromkeys(row.kind for row in rows))
        with run.open_log() as log:
            # A look of several kinds of people belongs to none of them alone.
            n_recorded = len(log.looks(run.script.study.name)) if len(kinds) == 1 else 0
        for kind in kinds:
            n = sum(row.n_completed for row in rows if row.kind == kind)
            typer.echo(("Simulated people: " if kind == "synthetic" else "") + sequential.sentence(n, n_recorded))
