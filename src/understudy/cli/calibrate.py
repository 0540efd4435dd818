"""`understudy calibrate`: compare simulated people who turn dials with published results of people."""

import os
from functools import partial
from pathlib import Path

import typer

from understudy.cli.progress import progress
from understudy.errors import MaterialsError
from understudy.protocols import ross2021_synthetic
from understudy.protocols.ross2021.calibration import CalibrationPlan, calibrated
from understudy.protocols.ross2021.calibration_page import write_calibration
from understudy.protocols.ross2021.synthetic import DECODERS
from understudy.schema import Study


def calibrate(
    *,
    out: Path,
    people: int,
    seeds: int,
    test_seeds: int,
    seed: int,
    decoders: Path | None,
    without_test: bool,
    workers: int | None,
) -> None:
    """Fit each strategy at the dials to people on the Sinelines, test it on dSprites, and write a page."""
    data = ("sinelines",) if without_test else ("sinelines", "dsprites")
    plan = CalibrationPlan(n_people=people, n_seeds=seeds, n_test_seeds=test_seeds, seed=seed, data=data)
    study_of = partial(_study, decoders if decoders is None else _require_decoders(decoders, data))
    command = f"understudy calibrate --people {people} --seeds {seeds} --test-seeds {test_seeds} --seed {seed}"
    with progress("Rehearsing", plan.n_sessions) as advance:
        calibration = calibrated(
            plan, study_of, n_workers=workers or os.cpu_count() or 1, command=command, on_progress=advance
        )
    written = write_calibration(calibration, out)
    for order in calibration.orders:
        typer.echo(
            f"SYNTHETIC {order.strategy} on {order.data}: completion GT > VAE > AE in {order.n_ordered} of "
            f"{order.n_seeds} seeds"
        )
    typer.echo(f"Written: {', '.join(path.name for path in written)} in {out.parent}")


def _study(folder: Path | None, seed: int) -> Study:
    decoders = DECODERS if folder is None else {key: str(folder / f"{name}.onnx") for key, name in DECODERS.items()}
    return ross2021_synthetic(seed=seed, decoders=decoders)


def _require_decoders(folder: Path, data: tuple[str, ...]) -> Path:
    """Return the folder, or raise an error that lists all missing decoders."""
    names = [name for (dataset, _), name in DECODERS.items() if dataset in data]
    absent = [
        name for name in names if not all((folder / f"{name}{suffix}").is_file() for suffix in (".onnx", ".json"))
    ]
    if absent:
        raise MaterialsError(
            f"The decoders {', '.join(absent)} are not in {folder}. "
            "Train them, or name a folder that holds them as .onnx with a card as .json."
        )
    return folder.resolve()
