"""The options of `understudy power`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import CastOption, EngineOption, StudyArgument, WorkersOption


def power(
    study: StudyArgument,
    on: Annotated[str, typer.Option(help="Where the effect acts, as factor=level.")],
    n: Annotated[
        str, typer.Option("--n", help="Completed participants per condition, separated by commas.")
    ] = "20,40,80",
    effects: Annotated[
        str, typer.Option(help="Effects, separated by commas: log-odds for right answers, SDs elsewhere.")
    ] = "0,0.5",
    items: Annotated[
        str | None,
        typer.Option(help="Items in each set of the main stages, separated by commas. Default: as in the study."),
    ] = None,
    smallest: Annotated[
        float | None,
        typer.Option(help="Smallest effect of interest; the result says how many people it needs. Added to --effects."),
    ] = None,
    target: Annotated[float, typer.Option(min=0.01, max=0.99, help="The power that --smallest asks for.")] = 0.8,
    simulations: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Simulated studies for each cell of the grid.")
    ] = 200,
    cast: CastOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all simulations.")] = 1,
    workers: WorkersOption = None,
    engine: EngineOption = "local",
    figure: Annotated[Path | None, typer.Option(help="Draw the curves to this file (.svg, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the grid as JSON only.")] = False,
) -> None:
    """Estimate power by simulating the whole study, plan included, over a grid of sizes and effects.

    Example: understudy power loan-demo --on explanation=shown --n 30,60 --effects 0,0.5
    """
    from understudy.cli import power as work

    work.power(
        study,
        on=on,
        n=n,
        effects=effects,
        items=items,
        smallest=smallest,
        target=target,
        simulations=simulations,
        cast=cast,
        seed=seed,
        workers=workers,
        engine=engine,
        figure=figure,
        as_json=as_json,
    )
