"""The options of `understudy data`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.commands import work
from understudy.cli.commands.listed_names import DATASETS
from understudy.cli.plain_commands import command_group

data = command_group(
    "data",
    "Fetch datasets, and list what is there.",
    example="understudy data get mnist",
)
FolderOption = Annotated[
    Path | None, typer.Option(help="The data folder. Default: the folder in UNDERSTUDY_DATA, or ~/.understudy/data.")
]


@data.command()
def get(
    name: Annotated[str, typer.Argument(help=f"What to fetch: {', '.join(DATASETS)}.")],
    folder: FolderOption = None,
) -> None:
    """Download a dataset and check it. Files that are already there stay.

    Example: understudy data get mnist
    """
    work.data.get(name, folder=folder)


@data.command("list")
def list_data(folder: FolderOption = None) -> None:
    """List the datasets, and which of them are there.

    Example: understudy data list
    """
    work.data.list_data(folder=folder)
