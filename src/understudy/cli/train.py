"""`understudy train`, `data` and `tune`: models by recipe, datasets, and what a pilot with dials suggests."""

import json
import os
from pathlib import Path
from typing import Literal

import typer

from understudy.actions.pilots import tunings_of
from understudy.actions.run_folder import existing_run
from understudy.actions.train import (
    TrainingOrder,
    default_folder,
    draw_pictures,
    n_epochs_of,
    n_pictures_missing,
    train_model,
)
from understudy.cli.progress import progress
from understudy.errors import MaterialsError
from understudy.inference.model_folders import WrittenModel
from understudy.report.planning import DialTuning, require_drawable, write_tuning_figure
from understudy.report.theme import SYNTHETIC
from understudy.schema import Json
from understudy.sources.cases import SplitRule
from understudy.sources.downloads import LICENCE, PET_FILES, PETS, PUBLISHED, fetch, fetch_pets, has_pets, is_downloaded
from understudy.sources.files import data_folder
from understudy.sources.photos import FOLDER as PET_FOLDER
from understudy.training.map_recipes import learns_from_photos

# `understudy data`: download datasets and list them.


def get(name: str, *, folder: Path | None) -> None:
    """Download a dataset and check it. Files that are already there stay."""
    target = folder or data_folder(os.environ)
    if name == PETS:
        _get_pets(target)
        return
    with progress(f"Fetching {name}", len(PUBLISHED.get(name, ()))) as advance:
        n_fetched = fetch(name, target, on_file=lambda: advance(1))
    typer.echo(f"{name} is in {target / name}" + (f": {n_fetched} files fetched." if n_fetched else " already."))


def _get_pets(target: Path) -> None:
    typer.echo(LICENCE)
    if has_pets(target):
        typer.echo(f"{PETS} is in {target / PET_FOLDER} already.")
        return
    with progress(f"Fetching {PETS} (bytes)", sum(file.n_bytes for file in PET_FILES)) as advance:
        out = fetch_pets(target, on_bytes=advance)
    typer.echo(f"{PETS} is in {out}. You can delete {target / PETS}, which has the original archives.")


def list_data(*, folder: Path | None) -> None:
    """List the datasets, and which of them are there."""
    target = folder or data_folder(os.environ)
    typer.echo("sinelines: made when needed")
    typer.echo("dsprites: drawn when needed; the official npz file can be read instead")
    for name, files in PUBLISHED.items():
        if is_downloaded(name, target):
            typer.echo(f"{name}: in {target / name}")
            continue
        has_some = any((target / name / file.name).is_file() for file in files)
        state = f"not as it was published in {target / name}" if has_some else "not there"
        typer.echo(f"{name}: {state}; run: understudy data get {name}")
    where = f"in {target / PET_FOLDER}" if has_pets(target) else f"not there; run: understudy data get {PETS} (0.8 GB)"
    typer.echo(f"{PETS}: {where}")
    typer.echo("creatures: drawn when needed")


def train(
    name: str,
    *,
    out: Path | None,
    epochs: int | None,
    seed: int | None,
    device: Literal["auto", "cpu", "cuda"],
    precision: Literal["float32", "float16", "int8"],
    data: Path | None,
    pictures: int | None,
    resume: bool,
    max_steps: int | None,
    split: SplitRule,
) -> None:
    """Train a generative model, a classifier or an observer for use in a study."""
    if data is None and learns_from_photos(name):
        raise MaterialsError(
            f"{name!r} learns from your own photos. Name their folder, which has a sub-folder for each class: --data photos"
        )
    order = TrainingOrder(
        out=out or default_folder(name, os.environ),
        data=data or data_folder(os.environ),
        n_epochs=epochs,
        seed=seed,
        device=device,
        precision=precision,
        max_steps=max_steps,
        is_resumed=resume,
        split=split,
        n_pictures=pictures,
    )
    _draw(name, order)
    written = _trained(name, order)
    size = f"{written.n_bytes / 1e3:,.0f} kB"
    typer.echo(f"Wrote {written.path} ({size}) and its card.{_scores(written.card.scores)}")


def _draw(name: str, order: TrainingOrder) -> None:
    n_missing = n_pictures_missing(name, order)
    with progress("Drawing pictures", n_missing, is_quiet=n_missing == 0) as advance:
        draw_pictures(name, order, advance=advance)


def _trained(name: str, order: TrainingOrder) -> WrittenModel:
    n_epochs, n_shown = n_epochs_of(name, order), 0
    with progress(f"Training {name}", n_epochs, is_quiet=n_epochs == 0) as advance:

        def show(n_done: int) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        return train_model(name, order, on_epoch=show)


def _scores(scores: Json) -> str:
    """Say how good a model is: accuracies of a classifier, held-out errors of a decoder."""
    accuracy = scores.get("accuracy")
    if isinstance(accuracy, dict):
        shares = (f"{part} {100 * share:.1f} %" for part, share in accuracy.items() if isinstance(share, float))
        return f" Right on: {', '.join(shares)}."
    explained = scores.get("explained_variance")
    if isinstance(explained, dict):
        shares = (f"{name} {100 * share:.0f} %" for name, share in explained.items() if isinstance(share, float))
        return f" Explained variance of: {', '.join(shares)}."
    by_mean, by_draw = scores.get("held_out_squared_error"), scores.get("held_out_squared_error_by_draw")
    if not isinstance(by_mean, float):
        return ""
    drawn = f", {by_draw:.3f} by draws of the posterior" if isinstance(by_draw, float) else ""
    return f" Held-out squared error: {by_mean:.3f} an instance{drawn}."


# `understudy tune`: propose the skip and the threshold of questions with dials from a pilot.


def tune(folder: Path, *, share: float, synthetic: bool, figure: Path | None, as_json: bool) -> None:
    """Propose, for each model with dials, when to offer the skip and which agreement counts as a match."""
    if figure is not None:
        require_drawable(figure)
    tunings = tunings_of(existing_run(folder), share=share, is_synthetic=synthetic)
    if as_json:
        typer.echo(json.dumps([tuning._asdict() for tuning in tunings], indent=2))
    else:
        if synthetic:
            typer.echo(SYNTHETIC)
        for tuning in tunings:
            typer.echo("\n".join(_sentences(tuning, share)))
        typer.echo(
            "Set them in the study file: skip_after_s in the params of the task, threshold in those of the dataset. "
            "After a change, prepare the study again. A pilot does not belong in the results."
        )
    if figure is not None:
        write_tuning_figure(tunings, figure, share=share, is_synthetic=synthetic)
        typer.echo(f"Drawn: {figure}", err=as_json)


def _sentences(tuning: DialTuning, share: float) -> list[str]:
    lines = [f"{tuning.name}: {tuning.n_solved} of {tuning.n_questions} questions solved at {tuning.threshold:g}."]
    if tuning.median_s is None:
        lines.append("  skip_after_s: nothing was solved, so there is no time to measure.")
    else:
        lines.append(
            f"  skip_after_s = {tuning.skip_after_s} (twice the median of {tuning.median_s:.0f} active seconds, rounded)"
        )
    if tuning.proposed is None:
        lines.append(f"  threshold: fewer than {share:.0%} of the questions reached {tuning.reached[0].threshold:g}.")
    else:
        lines.append(f"  threshold = {tuning.proposed:g} (the highest that {share:.0%} of the questions reached)")
    if tuning.n_near:
        lines.append(
            f"  {tuning.n_near} skipped question{'s' * (tuning.n_near > 1)} ended within 0.05 of the threshold: ask these "
            "people whether they took the pictures for a match."
        )
    return lines
