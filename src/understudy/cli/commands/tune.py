"""The options of `understudy tune`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands import work


def tune(
    folder: RunArgument,
    share: Annotated[
        float, typer.Option(min=0.01, max=1, help="Share of questions that people should be able to solve.")
    ] = 0.75,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Read the simulated people of a rehearsal instead of real ones.")
    ] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw the results to this file (.svg, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposals as JSON only.")] = False,
) -> None:
    """From a pilot with dials, suggest when to offer the skip and which agreement counts as a match.

    Example: understudy tune runs/pilot --figure tuning.svg
    """
    work.tune.tune(folder, share=share, synthetic=synthetic, figure=figure, as_json=as_json)
