"""The options of `understudy collect`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


def collect(
    folder: RunArgument,
    files: Annotated[list[Path], typer.Argument(help="Result files that participants saved, or that were sent.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Take result files of a static export into the run, each checked as a server would have checked it.

    Files that the run holds already change nothing; each refused one is named, and the others are taken all the same.

    Example: understudy collect runs/my-study results/understudy-my-study-1.json
    """
    work.collect.collect(folder, files, as_json=as_json)
