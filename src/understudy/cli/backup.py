"""`understudy backup`: copy a run while it is served, once or again and again."""

import os
import signal
import time
from datetime import UTC, datetime
from pathlib import Path

import typer

from understudy.errors import UnderstudyError
from understudy.record.log import now_ms
from understudy.workflow.backups.backup import back_up
from understudy.workflow.backups.manifest import BackupManifest, counts_of
from understudy.workflow.runs.run_folder import Run, existing_run


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
