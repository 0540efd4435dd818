"""The options of `understudy invite`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import AddressOption, YesOption
from understudy.cli.commands import work


def invite(
    first: Annotated[Path, typer.Argument(help="The run of the earlier part.")],
    second: Annotated[Path, typer.Argument(help="The run of the part that people are invited to.")],
    address: AddressOption,
    secret_file: Annotated[
        Path | None,
        typer.Option(help="File with the secrets of the server. Default: serve.secret of the earlier part."),
    ] = None,
    everybody: Annotated[
        bool,
        typer.Option(
            "--everybody",
            help="Include people whose part is not open yet or has closed, and people who already took part.",
        ),
    ] = False,
    group: Annotated[
        str | None, typer.Option(help="Add them to a participant group of this name at Prolific; needs --workspace.")
    ] = None,
    workspace: Annotated[str | None, typer.Option(help="The id of your workspace at Prolific.")] = None,
    message: Annotated[
        str | None, typer.Option(help="Send this message to each of them through Prolific; {link} becomes their link.")
    ] = None,
    yes: YesOption = False,
) -> None:
    """Print a signed personal link for everybody who may take a later part now, as CSV.

    Example: understudy invite runs/part-1 runs/part-2 --address https://study.example.org
    """
    at_prolific = work.invite.AtProlific(group, workspace, message, yes)
    work.invite.invite(
        first, second, address=address, secret_file=secret_file, everybody=everybody, at_prolific=at_prolific
    )
