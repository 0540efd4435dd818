"""The options of `understudy status` and `understudy monitor`."""

from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument

# The options of `understudy monitor`.


def monitor(
    folder: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON only.")] = False,
    unblind: Annotated[
        str | None,
        typer.Option(
            help="Show the names of conditions from now on, for this reason. The reason is kept in the log and the report."
        ),
    ] = None,
) -> None:
    """Show where people leave a running study, how long pages take, what it costs, and its stop rules.

    Conditions are called A, B, … until somebody asks for their names. Outcomes are never shown.

    Example: understudy monitor runs/loan-demo
    """
    from understudy.cli import status as work

    work.monitor(folder, as_json=as_json, unblind=unblind)


def status(
    folder: RunArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON only.")] = False,
) -> None:
    """Show how many people completed, are under way, left or were excluded, condition by condition.

    Example: understudy status runs/loan-demo
    """
    from understudy.cli import status as work

    work.status(folder, as_json=as_json)
