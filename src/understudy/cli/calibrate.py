"""`understudy calibrate`: sets the simulated people who turn dials beside published values of people."""

import os
from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.progress import progress
from understudy.report.calibration_page import write_calibration_page
from understudy.workflow.calibration import CalibrationPlan, calibrated, n_stages


def calibrate(
    out: Annotated[Path, typer.Option(help="The page to write; its figure lies beside it.")] = Path("calibration.md"),
    people: Annotated[int, typer.Option(min=1, help="Simulated people for each model and seed.")] = 15,
    fit_people: Annotated[int, typer.Option(min=1, help="Simulated people for each candidate of the fit.")] = 30,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds on the Sinelines.")] = 20,
    test_seeds: Annotated[int, typer.Option(min=1, help="Seeds on dSprites.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the fit; the others follow it.")] = 0,
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
    plan = CalibrationPlan(
        n_people=people, n_fit_people=fit_people, n_seeds=seeds, n_test_seeds=test_seeds, fit_seed=seed,
        folder=decoders, data=("sinelines",) if without_test else ("sinelines", "dsprites"),
    )  # fmt: skip
    with progress("Playing stages", n_stages(plan)) as advance:
        found = calibrated(plan, n_workers=workers or os.cpu_count() or 1, on_progress=advance)
    options = f"--people {people} --fit-people {fit_people} --seeds {seeds} --test-seeds {test_seeds} --seed {seed}"
    write_calibration_page(found, out, command=f"understudy calibrate {options}")
    for order in found.orders:
        typer.echo(
            f"SYNTHETIC {order.strategy} on {order.data}: completion GT > VAE > AE in {order.n_ordered} of "
            f"{order.n_seeds} seeds"
        )
    typer.echo(f"Written: {out} and {out.with_suffix('.svg').name}")
