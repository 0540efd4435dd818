"""`understudy backup` and `understudy restore`: copy a run while it is served, and put a copy back."""

import os
import shlex
import signal
import time
from datetime import UTC, datetime
from pathlib import Path

import typer

from understudy.actions.backup import BackupManifest, back_up, counts_of, doubts_about, faults_in, manifest_in
from understudy.actions.backup import restore as put_back
from understudy.actions.run_folder import Run, existing_run
from understudy.errors import FaultsError, UnderstudyError
from understudy.record.log import now_ms


def backup(folder: Path, target: Path, *, every: float | None) -> None:
    """Copy a run while it is served: events, recordings, materials, ids and secrets."""
    run = existing_run(folder)
    _print_copied(run, target, back_up(run, target, now_ms))
    if not (folder / "serve.secret").exists() and not os.environ.get("UNDERSTUDY_SECRET"):
        typer.echo(
            f"{folder} has no serve.secret yet. If its server has another --secret-file, keep a copy of that, too: without "
            "it, nobody who returns is recognised."
        )
    if every is not None:
        _repeat(run, target, every * 60)


def _repeat(run: Run, target: Path, pause_s: float) -> None:
    # systemd stops a service by SIGTERM, which is no error here.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while True:
            time.sleep(pause_s)
            try:
                _print_copied(run, target, back_up(run, target, now_ms))
            except (UnderstudyError, OSError) as error:
                # A full disk or a database that restarts may be well again the next time.
                typer.echo(str(error), err=True)
    except KeyboardInterrupt:
        typer.echo("Stopped.")


def _print_copied(run: Run, target: Path, manifest: BackupManifest) -> None:
    at = datetime.fromtimestamp(manifest.made_ms / 1000, UTC)
    typer.echo(
        f"Copied {run.folder} to {target}: {counts_of(manifest)}, everything up to {at:%Y-%m-%d %H:%M:%S} UTC. The chain of "
        "digests is whole."
    )


# `understudy restore`: put a backup back, or only check it.


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
