"""Options of `understudy probe`, each with its help."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias

import typer

from understudy.cli.commands.listed_names import RULE_OPTIONS

Paths: TypeAlias = Annotated[
    list[Path] | None,
    typer.Argument(
        help="A folder with M.D, M.D_plus, M_plus.D and M_plus.D_plus (.csv or .parquet) or with one such folder "
        "for each run; or those four tables in that order; or one table with columns model and data.",
    ),
]
MD: TypeAlias = Annotated[Path | None, typer.Option("--md", help="Table of M on D.")]
MP: TypeAlias = Annotated[Path | None, typer.Option("--mp", help="Table of M on D+.")]
PD: TypeAlias = Annotated[Path | None, typer.Option("--pd", help="Table of M+ on D.")]
PP: TypeAlias = Annotated[Path | None, typer.Option("--pp", help="Table of M+ on D+.")]
Concept: TypeAlias = Annotated[
    str | None, typer.Option(help="What to call the concept. Default: the name of the folder.")
]
Alpha: TypeAlias = Annotated[float, typer.Option(help="A difference counts if its p-value is below this threshold.")]
Correction: TypeAlias = Annotated[Literal["none", "holm"], typer.Option(help="Correction over the six comparisons.")]
Test: TypeAlias = Annotated[Literal["t", "sign_flip"], typer.Option(help="Paired t test, or sign-flip permutation.")]
GroupBy: TypeAlias = Annotated[str | None, typer.Option(help="Also judge groups of objects: truth, or another column.")]
GroupCorrection: TypeAlias = Annotated[
    Literal["holm", "none"], typer.Option(help="Correction of each comparison over the groups.")
]
Correctness: TypeAlias = Annotated[
    str, typer.Option(help="equal; or for values within:NUMBER, linear:NUMBER, exponential:NUMBER.")
]
Incomplete: TypeAlias = Annotated[
    Literal["refuse", "drop"], typer.Option(help="What to do with objects that have no row or no value.")
]
Difference: TypeAlias = Annotated[
    float | None, typer.Option(help="Also say how many objects are needed to detect a difference of this size.")
]
Power: TypeAlias = Annotated[float, typer.Option(help="With --difference: the power to aim for.")]
Option: TypeAlias = Annotated[
    list[str] | None, typer.Option(help=f"A choice in the rules, as name=value: {', '.join(RULE_OPTIONS)}.")
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of drawn sign patterns.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON only.")]
Html: TypeAlias = Annotated[
    Path | None, typer.Option("--html", help="Write a self-contained page with the interactive picture.")
]
Svg: TypeAlias = Annotated[
    Path | None, typer.Option("--svg", help="Write the picture; the file can also be .png or .pdf.")
]
Layout: TypeAlias = Annotated[
    Literal["horizontal", "vertical"], typer.Option(help="Layout of the picture: for wide or for narrow screens.")
]
Serve: TypeAlias = Annotated[bool, typer.Option("--serve", help="Show the interactive picture in a browser.")]


class Output(NamedTuple):
    """Where the verdicts of a concept test go, besides the terminal."""

    html: Path | None
    svg: Path | None
    layout: Literal["horizontal", "vertical"]
    serve: bool
    as_json: bool
