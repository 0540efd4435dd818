"""The options of `understudy calibrate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.deferred import Deferred

if TYPE_CHECKING:
    from understudy.cli import calibrate as work
else:
    work = Deferred("understudy.cli.calibrate")


def calibrate(
    out: Annotated[Path, typer.Option(help="The page to write; its figure and its numbers are written next to it.")] = Path(
        "calibration.md"
    ),
    people: Annotated[int, typer.Option(min=1, help="Simulated people of each strategy, for each seed.")] = 15,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds on the Sinelines.")] = 20,
    test_seeds: Annotated[int, typer.Option(min=1, help="Seeds on dSprites.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="The seed that all others follow.")] = 0,
    decoders: Annotated[
        Path | None, typer.Option(help="A folder with decoders, instead of those that come with understudy.")
    ] = None,
    without_test: Annotated[bool, typer.Option("--without-test", help="Leave dSprites out.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes on this machine; all cores when absent.")
    ] = None,
) -> None:
    """Fit each strategy at the dials to people on the Sinelines, test it on dSprites, and write a page.

    Example: understudy calibrate --people 15 --seeds 20 --out calibration.md
    """
    work.calibrate(
        out=out,
        people=people,
        seeds=seeds,
        test_seeds=test_seeds,
        seed=seed,
        decoders=decoders,
        without_test=without_test,
        workers=workers,
    )
