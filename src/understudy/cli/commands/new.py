"""The options of `understudy new`."""

from pathlib import Path
from typing import Annotated

import typer


def new(
    path: Annotated[
        Path | None,
        typer.Argument(help="The file to write, .toml or .yaml. Without it, the command asks a few questions."),
    ] = None,
    like: Annotated[str, typer.Option(help="The ready study to start from.")] = "loan-demo",
    follows: Annotated[
        Path | None,
        typer.Option(help="Study file of an earlier part. The new file is a later part of it."),
    ] = None,
) -> None:
    """Write a complete study file for you to adapt.

    Example: understudy new my-study.toml
    """
    from understudy.cli import new as work

    work.new(path, like=like, follows=follows)
