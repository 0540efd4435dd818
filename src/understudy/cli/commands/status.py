"""The options of `understudy status`."""

from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


def status(
    folder: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Show how many people completed, are under way, left or were excluded, condition by condition.

    Example: understudy status runs/loan-demo
    """
    work.status.status(folder, as_json=as_json)
