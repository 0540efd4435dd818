"""`understudy train`: generative models by recipe, written as decoder files with their cards."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.progress import progress
from understudy.datasets import data_folder
from understudy.schema import Json
from understudy.workflow.training import TrainingOrder, n_epochs_of, names_to_train, train_decoder


def train(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(names_to_train())}.")],
    out: Annotated[Path, typer.Option(help="Folder for NAME.onnx and NAME.json.")] = Path("decoders"),
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
) -> None:
    """Train a generative model and write its decoder, ready for a study.

    Example: understudy train ross2021/sinelines-vae --out decoders
    """
    order = TrainingOrder(
        out=out,
        data=data or data_folder(os.environ),
        n_epochs=epochs,
        seed=seed,
        device=device,
        precision=precision,
        max_steps=max_steps,
        is_resumed=resume,
    )
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


def _errors(provenance: Json) -> str:
    by_mean = provenance.get("held_out_squared_error")
    by_draw = provenance.get("held_out_squared_error_by_draw")
    if not isinstance(by_mean, float):
        return ""
    drawn = f", {by_draw:.3f} by draws of the posterior" if isinstance(by_draw, float) else ""
    return f" Held-out squared error: {by_mean:.3f} an instance{drawn}."
