"""The options of `understudy links`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument, SecretFileOption
from understudy.cli.commands import work


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
    work.links.links(folder, ids, address=address, parameter=parameter, secret_file=secret_file)
