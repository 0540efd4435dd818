"""The options of `understudy collect`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


def collect(
    folder: RunArgument,
    files: Annotated[list[Path] | None, typer.Argument(help="Result files that participants saved or sent.")] = None,
    decide: Annotated[bool, typer.Option("--decide", help="List the deposits that were set aside, and why.")] = False,
    take: Annotated[list[str] | None, typer.Option(help="Import a deposit that was set aside, by its name.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Delete a deposit that was set aside, by its name.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Import result files of a static export into the run, with the checks that a server makes.

    Files that the run already has are skipped. Invalid files are listed, and the others are imported. A file whose word is
    not enough is set aside: its clock was wrong, its person has another session or erased one, or it is a copy.

    Example: understudy collect runs/my-study results/understudy-my-study-1.json
    Example: understudy collect runs/my-study --decide
    """
    decided = (tuple(take or ()), tuple(drop or ()))
    work.collect.collect(folder, files or [], decided=decided, decides=decide, as_json=as_json)
