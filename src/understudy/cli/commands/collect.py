"""The options of `understudy collect`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.deferred import Deferred

if TYPE_CHECKING:
    from understudy.cli import collect as work
else:
    work = Deferred("understudy.cli.collect")


def collect(
    folder: RunArgument,
    files: Annotated[list[Path], typer.Argument(help="Result files that participants saved, or that were sent.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Take result files of a static export into the run, each checked as a server would have checked it.

    Files that the run holds already change nothing; each refused one is named, and the others are taken all the same.

    Example: understudy collect runs/my-study results/understudy-my-study-1.json
    """
    work.collect(folder, files, as_json=as_json)
