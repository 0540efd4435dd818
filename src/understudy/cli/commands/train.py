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
        Literal["leak_free", "paper"],
        typer.Option(help="How the cases of a classifier are split; `paper` repeats the published split."),
    ] = "leak_free",
) -> None:
    """Train a generative model, a classifier or an observer and write it, ready for a study.

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
