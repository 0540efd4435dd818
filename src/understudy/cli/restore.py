"""`understudy restore`: put a backup back, or only check it."""

import shlex
from pathlib import Path

import typer

from understudy.errors import FaultsError, UnderstudyError
from understudy.workflow.backup import faults_in
from understudy.workflow.backup import restore as put_back


def restore(backup: Path, folder: Path | None, *, database: str | None, check: bool) -> None:
    """Put a backup back as a run that can be served, after checking every file and every event by its digest."""
    if check == (folder is not None):
        raise UnderstudyError("Give a new folder for the run, or --check to write nothing.")
    if folder is None:
        faults = tuple(faults_in(backup))
        if faults:
            raise FaultsError(faults)
        typer.echo(f"{backup} is whole: every file and every event is what was backed up.")
        return
    manifest = put_back(backup, folder, database)
    typer.echo(
        f"{folder} has {manifest.n_events:,} events of {manifest.n_sessions:,} sessions.\n"
        f"Next: understudy serve {shlex.quote(str(folder))}"
    )
