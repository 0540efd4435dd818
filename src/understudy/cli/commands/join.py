"""The options of `understudy join`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.commands import work


def join(
    first: Annotated[Path, typer.Argument(help="The run of the earlier part.")],
    second: Annotated[Path, typer.Argument(help="The run of the later part.")],
    out: Annotated[Path, typer.Option(help="The table to write, .csv or .parquet.")],
) -> None:
    """Join the parts of a longitudinal study by person, with the change in every measure, for understudy analyze.

    Example: understudy join runs/part-1 runs/part-2 --out both-parts.csv
    """
    work.join.join(first, second, out=out)
