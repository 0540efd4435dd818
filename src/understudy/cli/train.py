"""`understudy train`: train generative models and classifiers by recipe."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.progress import progress
from understudy.errors import MaterialsError
from understudy.inference.classifier_recipes import Recipe
from understudy.inference.classifier_shelf import models_folder
from understudy.schema import Json
from understudy.sources.cases import SplitRule
from understudy.sources.data_folder import data_folder
from understudy.workflow.training.classifiers import (
    ClassifierOrder,
    classifier_names,
    n_passes_of,
    recipe_of,
    train_classifier,
)
from understudy.workflow.training.decoders import TrainingOrder, n_epochs_of, names_to_train, train_decoder


def train(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join((*names_to_train(), *classifier_names()))}.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for NAME.onnx and NAME.json; when absent, `decoders` for decoders, and for classifiers the "
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
        typer.Option(help="The data folder, for MNIST models; or a file of published Sinelines factors or dSprites."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what an interrupted run left.")] = False,
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="End every epoch after so many steps, to try a recipe out.")
    ] = None,
    split: Annotated[
        SplitRule, typer.Option(help="How the cases of a classifier are split; `paper` repeats the published split.")
    ] = "leak_free",
) -> None:
    """Train a generative model or a classifier and write it, ready for a study.

    Example: understudy train ross2021/sinelines-vae --out decoders
    """
    recipe = recipe_of(name)
    if recipe is not None:
        _refuse(name, {"--resume": resume, "--max-steps": max_steps is not None, "--device cuda": device == "cuda"})
        _train_classifier(
            recipe,
            ClassifierOrder(
                out=out or models_folder(os.environ),
                data=data or data_folder(os.environ),
                split=split,
                n_epochs=epochs,
                seed=seed,
                precision=precision,
            ),
        )
        return
    _refuse(name, {"--split": split != "leak_free"})
    order = TrainingOrder(
        out=out or Path("decoders"),
        data=data or data_folder(os.environ),
        n_epochs=epochs,
        seed=seed,
        device=device,
        precision=precision,
        max_steps=max_steps,
        is_resumed=resume,
    )
    _train_decoder(name, order)


def _train_decoder(name: str, order: TrainingOrder) -> None:
    n_epochs = n_epochs_of(name, order)
    with progress(f"Training {name}", n_epochs, is_quiet=n_epochs == 0) as advance:
        n_shown = 0

        def moved(n_done: int, _loss: float) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        written = train_decoder(name, order, on_epoch=moved)
    size = f"{len(written.decoder.content) / 1e3:,.0f} kB"
    typer.echo(f"Wrote {written.path} ({size}) and its card.{_errors(written.decoder.card.provenance)}")


def _refuse(name: str, options: dict[str, bool]) -> None:
    """Reject options that do not apply to this kind of model; `options` says which ones the caller set."""
    wrong = [option for option, is_given in options.items() if is_given]
    if wrong and recipe_of(name) is not None:
        raise MaterialsError(
            f"{', '.join(wrong)} cannot be used with {name!r}: classifiers learn in minutes, from start to end, on the "
            "processor. Leave it out."
        )
    if wrong:
        raise MaterialsError(f"{', '.join(wrong)} is for classifiers, and {name!r} is not a classifier. Leave it out.")


def _train_classifier(recipe: Recipe, order: ClassifierOrder) -> None:
    with progress(f"Training {recipe.name}", n_passes_of(recipe, order)) as advance:
        written = train_classifier(recipe, order, on_pass=lambda: advance(1))
    shares = ", ".join(f"{part} {100 * share:.1f} %" for part, share in written.accuracy.items())
    size = f"{len(written.classifier.content) / 1e3:,.0f} kB"
    typer.echo(f"Wrote {written.path} ({size}) and its card. Right on: {shares}.")


def _errors(provenance: Json) -> str:
    by_mean = provenance.get("held_out_squared_error")
    by_draw = provenance.get("held_out_squared_error_by_draw")
    if not isinstance(by_mean, float):
        return ""
    drawn = f", {by_draw:.3f} by draws of the posterior" if isinstance(by_draw, float) else ""
    return f" Held-out squared error: {by_mean:.3f} an instance{drawn}."
