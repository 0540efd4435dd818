"""`understudy prepare` and `understudy rehearse`: compute what people see, and send simulated people through it."""

import json
import os
import shlex
import sys
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from understudy.actions.casts import cast_from, effect_from, with_effects
from understudy.actions.preregister import recorded_looks
from understudy.actions.rehearse import Back, BrowserOptions, rehearse_in_browser, rehearse_later_part, rehearse_run
from understudy.actions.run_folder import Run, explaining_into, require_same_version, written_run
from understudy.actions.run_tables import tables_of
from understudy.actions.workers import parallel_backend
from understudy.cli.findings_view import print_findings
from understudy.cli.progress import progress
from understudy.cli.studies import load_study
from understudy.errors import UnderstudyError
from understudy.estimate.study_findings import study_results
from understudy.schema import Cast, Findings, Study
from understudy.simulate.browser import BrowserRehearsal

# Print the result of a browser rehearsal to a terminal.


def print_browser_rehearsal(rehearsal: BrowserRehearsal, console: Console) -> None:
    """Print people, screens and faults."""
    window = f"{rehearsal.width_px} x {rehearsal.height_px}"
    console.print(Text(f"{rehearsal.study_name} in Chromium, window {window}, seed {rehearsal.seed}", style="bold"))
    console.print(Text("SYNTHETIC: simulated people, not evidence about people.", style="bold white on red"))
    outcomes = ", ".join(f"{n} {outcome}" for outcome, n in rehearsal.outcomes.items())
    console.print(f"People: {rehearsal.n_people} ({outcomes or 'nobody'})")
    if rehearsal.is_full:
        console.print("The study was full before all of them had started.")
    console.print(f"Screens shown: {rehearsal.n_screens}")
    console.print(_screens(rehearsal))
    if not rehearsal.faults:
        console.print(f"Faults: none (no page or console error, no failed request, nothing wider than {window}).")
        return
    console.print(_faults(rehearsal))


def _screens(rehearsal: BrowserRehearsal) -> Table:
    table = Table(box=box.SIMPLE)
    table.add_column("block")
    table.add_column("task")
    for heading in ("screens", "median s", "slowest s"):
        table.add_column(heading, justify="right")
    for block in rehearsal.blocks:
        times = (f"{block.median_ms / 1000:.2f}", f"{block.slowest_ms / 1000:.2f}")
        table.add_row(block.block_id, block.task, str(block.n_screens), *times)
    return table


def _faults(rehearsal: BrowserRehearsal) -> Table:
    table = Table(box=box.SIMPLE, title="Faults", title_justify="left", title_style="bold")
    for heading in ("kind", "block", "times", "what"):
        table.add_column(heading, justify="right" if heading == "times" else "left")
    for fault in rehearsal.faults:
        style = "yellow" if fault.kind == "overflow" else "red"
        table.add_row(Text(fault.kind, style=style), fault.block_id, str(fault.n_times), Text(fault.said))
    return table


# `understudy prepare`: compute everything a study shows before the first participant arrives.


def prepare(study: str, *, out: Path, workers: int | None, engine: str) -> None:
    """Prepare the materials of a study, and its answer key in a separate file."""
    located = load_study(study)
    require_same_version(located.study, out)
    with parallel_backend(engine), progress("Explaining", None) as advance:
        prepared = located.prepared(explaining_into(out, workers, advance))
    run = written_run(prepared, out)
    materials = run.prepared.materials
    typer.echo(f"Prepared {len(materials.trials)} trials and {len(materials.assets)} files in {out}.")
    if run.log_path.exists() and _holds_simulated(run):
        people = out.with_name(f"{out.name}-people")
        typer.echo(
            f"{out} contains simulated people, who are never mixed with real ones.\n"
            f"Next, for people: understudy prepare {shlex.quote(study)} --out {shlex.quote(str(people))}"
        )
        return
    typer.echo(f"Next: understudy serve {shlex.quote(str(out))}")


def _holds_simulated(run: Run) -> bool:
    with run.open_log() as log:
        return any(summary.participant_kind == "synthetic" for summary in log.summaries(run.script.study.name))


def rehearse(
    study: str,
    *,
    out: Path | None,
    people: int | None,
    cast: str | None,
    effect: list[str] | None,
    seed: int,
    browser: int | None,
    show: bool,
    as_json: bool,
    after: Path | None = None,
    return_rate: float = 0.8,
) -> None:
    """Rehearse a study with simulated people and run its plan on them. They are never evidence about people."""
    located = load_study(study)
    folder = out or Path("runs") / located.study.name
    effects = tuple(effect_from(text, located.study) for text in effect or ())
    people_cast = with_effects(cast_from(cast, located.study), effects)
    if browser is None and show:
        raise UnderstudyError("--show shows a browser; add --browser with the number of simulated people.")
    if browser is not None and people is not None:
        raise UnderstudyError("--browser sets the number of simulated people; leave --people out.")
    _require_earlier_part(located.study, after, is_in_browser=browser is not None)
    require_same_version(located.study, folder)
    with progress("Explaining", None, is_quiet=as_json) as advance:
        prepared = located.prepared(explaining_into(folder, on_progress=advance))
    run = written_run(prepared, folder)
    if browser is not None:
        _in_browser(run, people_cast, BrowserOptions(browser, seed, is_shown=show), as_json=as_json)
        return
    total = people or sum(located.study.quota_of(cell) for cell in located.study.cells)
    with progress("Rehearsing", total, is_quiet=as_json and not sys.stderr.isatty()) as advance:
        n_came = (
            rehearse_run(run, people_cast, seed=seed, n_people=people, on_session=lambda: advance(1))
            if after is None
            else rehearse_later_part(run, people_cast, Back(after, return_rate), seed=seed)
        )
    _say_if_full(people, n_came)
    frames = tables_of(run)
    results = study_results(run.script, frames, recorded=recorded_looks(run, frames.sessions))
    if as_json:
        typer.echo(json.dumps(results.findings.model_dump(mode="json"), indent=2))
        return
    print_findings(results.findings, Console())
    typer.echo(f"\nPeople: the cast {people_cast.name!r}, {_counts(results.findings)}. --json has what each kind did.")
    typer.echo(f"Next: understudy report {shlex.quote(str(folder))}")


def _require_earlier_part(study: Study, after: Path | None, *, is_in_browser: bool) -> None:
    if study.follows is None and after is not None:
        raise UnderstudyError(f"{study.name} follows no earlier part; leave out --after, or add [follows] to its file.")
    if study.follows is not None and after is None:
        raise UnderstudyError(
            f"{study.name} is a later part: its people come from {study.follows.study!r}. Rehearse that first, then give its "
            "folder with --after."
        )
    if after is not None and is_in_browser:
        raise UnderstudyError("Returning people are simulated without a browser; leave out --browser or --after.")


def _say_if_full(n_wanted: int | None, n_came: int) -> None:
    if n_wanted is not None and n_came < n_wanted:
        # Not part of the result, so that --json prints nothing but JSON.
        typer.echo(
            f"{n_wanted} people were requested, but the study has places for {n_came}, so {n_came} took part. "
            "Raise the quota of its assignment for more.",
            err=True,
        )


def _counts(findings: Findings) -> str:
    came = {(row.condition, row.kind): row.n_came for row in findings.kinds}
    kinds = sorted({kind for _, kind in came})
    return ", ".join(f"{sum(n for (_, name), n in came.items() if name == kind)} {kind}" for kind in kinds)


def _in_browser(run: Run, cast: Cast, options: BrowserOptions, *, as_json: bool) -> None:
    with progress("Rehearsing in Chromium", options.n_people, is_quiet=as_json) as advance:
        rehearsal = rehearse_in_browser(run, cast, options, environment=os.environ, on_session=lambda: advance(1))
    if as_json:
        typer.echo(json.dumps(rehearsal.model_dump(mode="json"), indent=2))
    else:
        print_browser_rehearsal(rehearsal, Console())
        typer.echo(f"\nNext: understudy report {shlex.quote(str(run.folder))}")
    if rehearsal.has_page_errors:
        raise typer.Exit(1)
