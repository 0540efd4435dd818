"""The options of `understudy monitor`."""

from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.deferred import Deferred

if TYPE_CHECKING:
    from understudy.cli import monitor as work
else:
    work = Deferred("understudy.cli.monitor")


def monitor(
    folder: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON only.")] = False,
    unblind: Annotated[
        str | None,
        typer.Option(help="Name the conditions from now on, for this reason; the log and the report keep it."),
    ] = None,
) -> None:
    """Show where people leave a running study, how long pages take, what it costs, and its stop rules.

    Conditions are called A, B, … until somebody asks for their names. No outcome is shown.

    Example: understudy monitor runs/loan-demo
    """
    work.monitor(folder, as_json=as_json, unblind=unblind)
