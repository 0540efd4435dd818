"""The options of `understudy links`, `invite` and `join`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import AddressOption, RunArgument, SecretFileOption, YesOption

# The options of `understudy invite`.


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
    from understudy.cli import links as work

    at_prolific = work.AtProlific(group, workspace, message, yes)
    work.invite(first, second, address=address, secret_file=secret_file, everybody=everybody, at_prolific=at_prolific)


# The options of `understudy join`.


def join(
    first: Annotated[Path, typer.Argument(help="The run of the earlier part.")],
    second: Annotated[Path, typer.Argument(help="The run of the later part.")],
    out: Annotated[Path, typer.Option(help="The table to write, .csv or .parquet.")],
) -> None:
    """Join the parts of a longitudinal study by person, with the change in every measure, for understudy analyze.

    Example: understudy join runs/part-1 runs/part-2 --out both-parts.csv
    """
    from understudy.cli import links as work

    work.join(first, second, out=out)


def links(
    folder: RunArgument,
    ids: Annotated[Path, typer.Argument(help="File with one participant id on each line.")],
    address: Annotated[str, typer.Option(help="Address of the server.")] = "http://127.0.0.1:8000",
    parameter: Annotated[
        str | None, typer.Option(help="The parameter of the link that holds the id. Default: that of the recruiter.")
    ] = None,
    secret_file: SecretFileOption = None,
) -> None:
    """Print one signed link for each id, for studies with access.links = "signed".

    Example: understudy links runs/my-study ids.txt --address https://study.example.org
    """
    from understudy.cli import links as work

    work.links(folder, ids, address=address, parameter=parameter, secret_file=secret_file)
