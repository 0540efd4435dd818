"""The options of `understudy pay`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument


def pay(
    folder: RunArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Pay without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what is due without paying.")] = False,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write what is due to this file, for recruiters that understudy cannot pay through."),
    ] = None,
    paid: Annotated[
        Path | None, typer.Option(help="Confirm that the lines of this file are paid; deleted lines become due again.")
    ] = None,
    no_orders_lost: Annotated[
        bool,
        typer.Option(
            "--no-orders-lost",
            help="Of a restored run: say that nothing was ordered between its backup and its restore.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the totals as JSON only, without paying.")] = False,
) -> None:
    """Show who is owed what and why, ask for confirmation, and pay each amount once.

    If an earlier payment was interrupted, the command first asks the recruiter what was paid.

    Example: understudy pay runs/my-study --dry-run
    """
    from understudy.cli import pay as work

    work.pay(folder, yes=yes, dry_run=dry_run, csv=csv, paid=paid, no_orders_lost=no_orders_lost, as_json=as_json)
