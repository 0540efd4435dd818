"""`understudy restore`: put a backup back, or only check it."""

import shlex
from pathlib import Path

import typer

from understudy.errors import FaultsError, UnderstudyError
from understudy.workflow.backups.backup import faults_in
from understudy.workflow.backups.backup import restore as put_back
from understudy.workflow.backups.files import doubts_about
from understudy.workflow.backups.manifest import counts_of, manifest_in


def restore(backup: Path, folder: Path | None, *, database: str | None, erasures_of: Path | None, check: bool) -> None:
    """Put a backup back as a run that can be served, after checking every file and every event by its digest."""
    if check == (folder is not None):
        raise UnderstudyError("Give a new folder for the run, or --check to write nothing.")
    if folder is None:
        faults = tuple(faults_in(backup))
        if faults:
            raise FaultsError(faults)
        manifest = manifest_in(backup)
        doubts = None if manifest is None else doubts_about(backup, manifest)
        told = (
            "every file and every event is what was backed up."
            if doubts is None
            else f"as far as can be told. {doubts}"
        )
        typer.echo(f"{backup} is whole{':' if doubts is None else ','} {told}")
        return
    manifest = put_back(backup, folder, database, erasures_of=erasures_of)
    typer.echo(f"{folder} has {counts_of(manifest)}.\nNext: understudy serve {shlex.quote(str(folder))}")
