"""`understudy status` and `understudy monitor`: counts from the log, and dropout, time, cost and stop rules."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from understudy.actions.run_folder import doubts_in, existing_run, shown_status
from understudy.errors import UnderstudyError
from understudy.record.log import now_ms
from understudy.schema.log_entries import DeskAction
from understudy.schema.wire import MonitoredPage, Monitoring
from understudy.serve.desk.monitor import MonitorFold
from understudy.serve.desk.monitor_view import monitoring_of

# `understudy monitor`: how a running study goes, without a look at its outcomes.

_BAR = 18


def monitor(folder: Path, *, as_json: bool, unblind: str | None) -> None:
    """Show where people leave a running study, how long pages take, what it costs, and its stop rules."""
    run = existing_run(folder)
    with run.open_log() as log:
        name = run.script.study.name
        if unblind is not None:
            log.enter_desk_action(_unblinding(name, unblind))
        fold = MonitorFold(log, run.script)
        while not fold.advance():
            pass
        found = monitoring_of(fold, log.steering(name), is_paused=log.is_paused(name))
    for session_id in sorted(fold.unreadable):
        typer.echo(f"The events of session {session_id} cannot be read and are left out.", err=True)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
        return
    _print(found, Console())


def _unblinding(study_name: str, reason: str) -> DeskAction:
    if not reason.strip():
        raise UnderstudyError("Give a reason with --unblind; the report lists it.")
    who = os.environ.get("USER") or os.environ.get("USERNAME") or "somebody"
    return DeskAction(
        at_ms=now_ms(), study_name=study_name, actor=f"{who} (command line)", action="unblinded", reason=reason.strip()
    )


def _print(found: Monitoring, console: Console) -> None:
    marks = [*(["PILOT"] if found.is_pilot else []), *(["SYNTHETIC"] if found.kind == "synthetic" else [])]
    marks += ["recruitment is paused"] if found.is_paused else []
    mark = f" ({', '.join(marks)})" if marks else ""
    console.print(f"{found.title}{mark}", style="bold", markup=False)
    console.print(
        f"{found.n_completed} of {found.n_wanted} completed, {found.n_started} started."
        + (" Conditions are blind; --unblind REASON names them." if found.is_blind else "")
    )
    console.print(_pages_table(found))
    console.print(f"Leaving early: {found.attrition.sentence}")
    if found.checks:
        failed = ", ".join(f"{check.check_id} {check.n_failed}" for check in found.checks)
        console.print(f"Checks failed: {failed}")
    if (money := found.money) is not None:
        ahead = "" if money.forecast is None else f", about {money.forecast:.2f} once all places are filled"
        console.print(f"Spent on pay: {money.spent:.2f} {money.currency}{ahead}; platform fees are not included.")
    for label, mix in (("Devices", found.devices), ("Connections", found.connections)):
        if mix:
            console.print(f"{label}: {', '.join(f'{name} {n}' for name, n in mix.items())}")
    for rule in found.rules:
        now = "too few people yet" if rule.value is None else f"now {rule.value:g}"
        state = "REACHED" if rule.is_reached else now
        console.print(f"Stop rule {rule.rule_id}: pauses when {rule.limit} ({state}).")
    for note in found.notes:
        console.print(f"{note.action.replace('_', ' ')} by {note.actor}. {note.reason}".rstrip())


def _pages_table(found: Monitoring) -> Table:
    table = Table()
    for heading in ("page", "came to it", *(f"left in {label}" for label in found.conditions), "median"):
        table.add_column(heading, justify="left" if heading in ("page", "came to it") else "right")
    for page in found.pages:
        table.add_row(
            page.block,
            _bar(page, found.pages),
            *map(str, page.left),
            _typical_time(page.median_s),
        )
    return table


def _typical_time(median_s: float | None) -> str:
    if median_s is None:
        return "–"
    return "under 1 s" if median_s < 1 else f"{median_s:.1f} s"


def _bar(page: MonitoredPage, pages: Sequence[MonitoredPage]) -> str:
    """Draw how many came to a page, of all who could: some pages are those of one condition only."""
    reached = sum(n or 0 for n in page.reached)
    started = [max(n or 0 for n in counts) for counts in zip(*(each.reached for each in pages), strict=True)]
    could = sum(n for n, met in zip(started, page.reached, strict=True) if met is not None)
    filled = round(_BAR * reached / could) if could else 0
    return f"{'█' * filled}{'·' * (_BAR - filled)} {reached}"


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
