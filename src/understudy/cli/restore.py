"""`understudy restore`: put a backup back, or only check it."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from understudy.errors import FaultsError, UnderstudyError
from understudy.workflow.backup import faults_in
from understudy.workflow.backup import restore as put_back


def restore(
    backup: Annotated[Path, typer.Argument(help="Folder written by understudy backup.")],
    folder: Annotated[Path | None, typer.Argument(help="New folder for the run.")] = None,
    database: Annotated[
        str | None, typer.Option(help="URL of an empty PostgreSQL database for the events; without it, a file.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check the backup, and write nothing.")] = False,
) -> None:
    """Put a backup back as a run that can be served, after checking every file and every event by its digest.

    Example: understudy restore /mnt/backups/my-study runs/my-study
    """
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
