"""The options of `understudy status`."""

from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.deferred import Deferred

if TYPE_CHECKING:
    from understudy.cli import status as work
else:
    work = Deferred("understudy.cli.status")


def status(
    folder: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Show how many people completed, are under way, left or were excluded, condition by condition.

    Example: understudy status runs/loan-demo
    """
    work.status(folder, as_json=as_json)
