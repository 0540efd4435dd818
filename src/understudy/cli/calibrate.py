"""`understudy calibrate`: compare simulated people who turn dials with published results of people."""

import hashlib
import os
from functools import partial
from pathlib import Path

import typer

from understudy.cli.progress import progress
from understudy.errors import MaterialsError, UnknownName
from understudy.inference import decoder_from_file, shipped_decoder
from understudy.protocols import ross2021_mnist, ross2021_synthetic
from understudy.protocols.ross2021.calibration import GRID, CalibrationPlan, Grid, JobRunner, calibrated
from understudy.protocols.ross2021.calibration_page import write_calibration
from understudy.protocols.ross2021.calibration_rows import PlayedDecoder
from understudy.protocols.ross2021.digits import MODELS as DIGITS
from understudy.protocols.ross2021.synthetic import DECODERS
from understudy.report import scores_from_card
from understudy.schema import Study


def calibrate(
    *,
    out: Path,
    strategies: list[str],
    people: int,
    test_people: int,
    seeds: int,
    seed: int,
    decoders: Path | None,
    mnist: Path | None,
    without_test: bool,
    workers: int | None,
) -> None:
    """Fit each strategy at the dials to people on the Sinelines, test it on other data, and write a page."""
    if out.is_dir():
        raise MaterialsError(f"{out} is a folder. Name the page to write, such as {out / 'calibration.md'}.")
    data = ("sinelines", *(() if without_test else ("dsprites",)), *(() if mnist is None else ("mnist",)))
    plan = CalibrationPlan(
        n_people=people, n_test_people=test_people, n_seeds=seeds, seed=seed, data=data, grid=_grid(strategies)
    )
    names = [name for (dataset, _), name in DECODERS.items() if dataset in data]
    own = None if decoders is None else _require_decoders(decoders, names)
    digits = None if mnist is None else _require_decoders(mnist, [f"mnist-{model}" for model in DIGITS])
    n_workers = workers or os.cpu_count() or 1
    # Named after the decoders, so that jobs played with others are not taken for these.
    store = out.with_suffix(f".{_mark(own, digits, names)}.part.jsonl")
    typer.echo(f"About {_minutes(plan.seconds / n_workers)} on {n_workers} free core{'s' * (n_workers > 1)}.")
    with progress("Playing", plan.n_sessions) as advance:
        runner = JobRunner(partial(_study, own, digits), n_workers=n_workers, store=store, on_progress=advance)
        if runner.n_done:
            typer.echo(
                f"{_jobs(runner.n_done, ' of an interrupted calibration')} kept ({store}), so this run is shorter."
            )
        try:
            calibration = calibrated(plan, runner, command=_command(plan, mnist))
        except KeyboardInterrupt:
            typer.echo(f"Stopped. {_jobs(runner.n_done)} kept ({store}); the same command continues.", err=True)
            raise typer.Exit(130) from None
    played = () if digits is None else tuple(_described(digits, model) for model in DIGITS)
    written = write_calibration(calibration.model_copy(update={"decoders": played}), out)
    store.unlink(missing_ok=True)
    for held in calibration.likenesses:
        typer.echo(
            f"SYNTHETIC {held.strategy} on {held.data}: distance from people {held.gap:.2f} "
            f"[{held.gap_low:.2f}, {held.gap_high:.2f}], order {held.rank:.2f}"
        )
    typer.echo(f"Written: {', '.join(path.name for path in written)} in {out.parent}")


def _grid(strategies: list[str]) -> Grid:
    """Return the candidates of these strategies, or of all."""
    unknown = [name for name in strategies if name not in GRID]
    if unknown:
        raise UnknownName(f"{', '.join(unknown)} cannot be calibrated. Choose from: {', '.join(GRID)}.")
    return {name: values for name, values in GRID.items() if name in (strategies or GRID)}


def _jobs(n: int, of: str = "") -> str:
    return f"1 job{of} is" if n == 1 else f"{n} jobs{of} are"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"


def _command(plan: CalibrationPlan, mnist: Path | None) -> str:
    text = (
        f"understudy calibrate --people {plan.n_people} --test-people {plan.n_test_people} --seeds {plan.n_seeds} "
        f"--seed {plan.seed}"
    )
    text += "" if len(plan.grid) == len(GRID) else "".join(f" --strategy {name}" for name in plan.grid)
    text += "" if "dsprites" in plan.data else " --without-test"
    return text if mnist is None else f"{text} --mnist {mnist.name}"


def _study(folder: Path | None, digits: Path | None, data: str, seed: int) -> Study:
    if data == "mnist":
        return ross2021_mnist(folder=str(digits)).model_copy(update={"seed": seed})
    decoders = DECODERS if folder is None else {key: str(folder / f"{name}.onnx") for key, name in DECODERS.items()}
    return ross2021_synthetic(seed=seed, decoders=decoders)


def _mark(folder: Path | None, digits: Path | None, names: list[str]) -> str:
    """Return a short digest of all decoders that are played."""
    contents = [shipped_decoder(name).content if folder is None else _content(folder, name) for name in names]
    contents += [] if digits is None else [_content(digits, f"mnist-{model}") for model in DIGITS]
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()[:8]


def _content(folder: Path, name: str) -> bytes:
    return (folder / f"{name}.onnx").read_bytes() + (folder / f"{name}.json").read_bytes()


def _described(folder: Path, model: str) -> PlayedDecoder:
    """Return what the card of a decoder says about its training."""
    card = decoder_from_file(folder / f"mnist-{model}.onnx").card
    recipe = card.provenance.get("recipe")
    n_epochs = recipe.get("n_epochs") if isinstance(recipe, dict) else None
    error = scores_from_card(card, label=model, data="MNIST").error
    return PlayedDecoder(model=model, n_epochs=n_epochs if isinstance(n_epochs, int) else None, error=error)


def _require_decoders(folder: Path, names: list[str]) -> Path:
    """Return the folder, or raise an error that lists all missing decoders."""
    absent = [
        name for name in names if not all((folder / f"{name}{suffix}").is_file() for suffix in (".onnx", ".json"))
    ]
    if absent:
        raise MaterialsError(
            f"The decoders {', '.join(absent)} are not in {folder}. "
            "Train them, or name a folder that has them as .onnx files, each with its card as .json."
        )
    return folder.resolve()
