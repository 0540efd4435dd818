"""The options of `understudy backup`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


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
    work.backup.backup(folder, target, every=every)
