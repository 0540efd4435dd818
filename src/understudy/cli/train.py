"""`understudy train`: train generative models, classifiers and networks for pictures by recipe."""

import os
from pathlib import Path
from typing import Literal

import typer

from understudy.cli.progress import progress
from understudy.errors import MaterialsError
from understudy.inference.shelf import WrittenModel
from understudy.schema import Json
from understudy.sources.cases import SplitRule
from understudy.sources.data_folder import data_folder
from understudy.training.map_recipes import learns_from_photos
from understudy.workflow.training.train import (
    TrainingOrder,
    default_folder,
    draw_pictures,
    n_epochs_of,
    n_pictures_missing,
    train_model,
)


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
