"""The options of `understudy calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.arguments import WorkersOption


def calibrate(
    out: Annotated[
        Path, typer.Option(help="The page to write; its figure and its numbers are written next to it.")
    ] = Path("calibration.md"),
    strategy: Annotated[
        list[str] | None, typer.Option(help="Calibrate only this strategy; repeat for more. Default: all.")
    ] = None,
    people: Annotated[
        int,
        typer.Option(min=1, max=1_000_000, help="Simulated people of each strategy on the Sinelines, for each seed."),
    ] = 6,
    test_people: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="The same on dSprites and digits, which are slower.")
    ] = 2,
    seeds: Annotated[int, typer.Option(min=1, max=1_000_000, help="Seeds of people and targets.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The seed that all other seeds are derived from.")] = 0,
    decoders: Annotated[
        Path | None, typer.Option(help="A folder with decoders, instead of those that come with understudy.")
    ] = None,
    mnist: Annotated[
        Path | None, typer.Option(help="A folder with the seven decoders of digits, to test their order too.")
    ] = None,
    without_test: Annotated[bool, typer.Option("--without-test", help="Skip dSprites.")] = False,
    workers: WorkersOption = None,
) -> None:
    """Fit each strategy at the dials to people on the Sinelines, test it on other data, and write a page.

    Finished work is kept next to the page. After an interruption, run the same command to continue.

    Example: understudy calibrate --out calibration.md
    """
    from understudy.cli import calibrate as work

    work.calibrate(
        out=out, strategies=strategy or [], people=people, test_people=test_people, seeds=seeds, seed=seed, decoders=decoders, mnist=mnist,
        without_test=without_test, workers=workers,
    )  # fmt: skip
