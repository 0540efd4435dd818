"""The folder argument of commands that read a run."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RunArgument: TypeAlias = Annotated[
    Path, typer.Argument(help="A folder made by understudy prepare or understudy rehearse.")
]
