"""`understudy prepare`: compute everything a study shows before the first participant arrives."""

import shlex
from pathlib import Path

import typer

from understudy.cli.progress import progress
from understudy.cli.studies import load_study
from understudy.workflow.parallel_backend import parallel_backend
from understudy.workflow.runs.run_folder import Run, explaining_into, require_same_version, written_run


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
