"""`understudy train`: train generative models, classifiers and networks for pictures by recipe."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.progress import progress
from understudy.schema import Json
from understudy.sources.cases import SplitRule
from understudy.sources.data_folder import data_folder
from understudy.workflow.training.train import (
    TrainingOrder,
    WrittenModel,
    default_folder,
    draw_pictures,
    n_epochs_of,
    n_pictures_missing,
    names_to_train,
    train_model,
)


def train(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(names_to_train())}.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for NAME.onnx and NAME.json, or for the folder NAME of a network with maps (kim2022); when absent, `decoders` for decoders, and for all others the "
            "models folder: what UNDERSTUDY_MODELS names, or ~/.understudy/models."
        ),
    ] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the data; the recipe's when absent.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of weights, order and noise.")] = None,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to learn.")] = "auto",
    precision: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="How weights are stored; int8 is a quarter as large.")
    ] = "float32",
    data: Annotated[
        Path | None,
        typer.Option(
            help="The data folder, for MNIST, photos and drawn pictures; or a file of published Sinelines factors or dSprites."
        ),
    ] = None,
    pictures: Annotated[
        int | None,
        typer.Option(help="Pictures to draw and learn from, for the networks of sixt2022; 150,000 when absent."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what an interrupted run left.")] = False,
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="End every epoch after so many steps, to try a recipe out.")
    ] = None,
    split: Annotated[
        SplitRule, typer.Option(help="How the cases of a classifier are split; `paper` repeats the published split.")
    ] = "leak_free",
) -> None:
    """Train a generative model, a classifier or an observer and write it, ready for a study.

    Example: understudy train ross2021/sinelines-vae --out decoders
    """
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
