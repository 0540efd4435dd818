"""The options of `understudy collect`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


def collect(
    folder: RunArgument,
    files: Annotated[list[Path], typer.Argument(help="Result files that participants saved or sent.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Import result files of a static export into the run, with the checks that a server makes.

    Files that the run already has are skipped. Invalid files are listed, and the others are imported.

    Example: understudy collect runs/my-study results/understudy-my-study-1.json
    """
    work.collect.collect(folder, files, as_json=as_json)
