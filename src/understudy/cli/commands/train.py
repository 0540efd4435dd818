"""The options of `understudy train`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.commands import work
from understudy.cli.commands.listed_names import RECIPES


def train(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(RECIPES)}.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for NAME.onnx and NAME.json, or for the folder NAME of a network with maps (kim2022). "
            "Default: `decoders` for decoders; for all others, the folder in UNDERSTUDY_MODELS, or ~/.understudy/models."
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="Passes over the data. Default: as in the recipe.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of weights, order and noise.")] = None,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option(help="Where to train.")] = "auto",
    precision: Annotated[
        Literal["float32", "float16", "int8"],
        typer.Option(help="How weights are stored; int8 needs a quarter of the space."),
    ] = "float32",
    data: Annotated[
        Path | None,
        typer.Option(
            help="The data folder, for MNIST, pets and drawn pictures; for photos-… and small-photos-…, your own photos, a sub-folder "
            "for each class; or a file of published Sinelines factors or dSprites."
        ),
    ] = None,
    pictures: Annotated[
        int | None,
        typer.Option(help="Number of pictures to draw and train on, for the networks of sixt2022. Default: 150,000."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    max_steps: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="End every epoch after this many steps, to try out a recipe."),
    ] = None,
    split: Annotated[
        Literal["leak_free", "paper"],
        typer.Option(help="How the cases of a classifier are split; `paper` repeats the published split."),
    ] = "leak_free",
) -> None:
    """Train a generative model, a classifier or an observer for use in a study.

    Example: understudy train ross2021/sinelines-vae --out decoders
    """
    work.train.train(
        name,
        out=out,
        epochs=epochs,
        seed=seed,
        device=device,
        precision=precision,
        data=data,
        pictures=pictures,
        resume=resume,
        max_steps=max_steps,
        split=split,
    )
