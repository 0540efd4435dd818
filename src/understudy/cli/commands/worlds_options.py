"""Options that commands about worlds share."""

from typing import Annotated, TypeAlias

import typer

WorldArgument: TypeAlias = Annotated[
    str,
    typer.Argument(help="A world such as sixt2022, a .toml file, or a .py file that assigns `world` (FILE.py:NAME)."),
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of every draw.")]
Edge: TypeAlias = Annotated[int, typer.Option(min=8, max=2048, help="Pixels a side of each picture.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")]
