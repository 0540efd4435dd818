"""The options of `understudy backup` and `understudy restore`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument


def backup(
    folder: RunArgument,
    target: Annotated[Path, typer.Argument(help="Folder for the copy, preferably on another disk or machine.")],
    every: Annotated[
        float | None, typer.Option(min=0.01, help="Update the copy every this many minutes, until interrupted.")
    ] = None,
) -> None:
    """Copy a run while it is served: events, recordings, materials, ids and secrets.

    The copy is checked by the log's chain of digests. Run the command again to update the same copy.

    Example: understudy backup runs/my-study /mnt/backups/my-study --every 5
    """
    from understudy.cli import backup as work

    work.backup(folder, target, every=every)


# The options of `understudy restore`.


def restore(
    backup: Annotated[Path, typer.Argument(help="Folder written by understudy backup.")],
    folder: Annotated[Path | None, typer.Argument(help="New folder for the run.")] = None,
    database: Annotated[
        str | None, typer.Option(help="URL of an empty PostgreSQL database for the events; without it, a file.")
    ] = None,
    erasures_of: Annotated[
        Path | None,
        typer.Option(help="The old run folder, if it can still be read: people who were erased there stay erased."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check the backup, without writing anything.")] = False,
) -> None:
    """Put a backup back as a run that can be served, after checking every file and every event by its digest.

    Example: understudy restore /mnt/backups/my-study runs/my-study
    """
    from understudy.cli import backup as work

    work.restore(backup, folder, database=database, erasures_of=erasures_of, check=check)
