"""The options of `understudy new`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.commands import work


def new(
    path: Annotated[
        Path | None, typer.Argument(help="The file to write, .toml or .yaml; without it, a few questions are asked.")
    ] = None,
    like: Annotated[str, typer.Option(help="The ready study to start from.")] = "loan-demo",
    follows: Annotated[
        Path | None,
        typer.Option(help="The study file of an earlier part: the new file is its later part, to be changed."),
    ] = None,
) -> None:
    """Write a complete study file to change to your own needs.

    Example: understudy new my-study.toml
    """
    work.new.new(path, like=like, follows=follows)
