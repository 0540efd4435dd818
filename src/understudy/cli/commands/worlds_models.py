"""The options of `understudy worlds models`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.commands import work
from understudy.cli.commands.listed_names import RELEVANT_R_SQUARED
from understudy.cli.commands.worlds_options import AsJson, Seed, WorldArgument


def importance(
    world: WorldArgument,
    model: Annotated[
        str, typer.Option(help="An ONNX file, a folder of weights, or the name of a trained classifier such as cnn-64.")
    ],
    n: Annotated[
        int, typer.Option(min=10, max=1_000_000, help="Pictures; each has a partner for every attribute.")
    ] = 1000,
    seed: Seed = 0,
    mode: Annotated[
        Literal["all_parents", "class_only"],
        typer.Option(help="What is cut when an attribute is redrawn: all its causes, or only the class."),
    ] = "all_parents",
    edge: Annotated[
        int | None,
        typer.Option(
            min=8, max=2048, help="Width and height of a picture in pixels. Default: what the model expects, or 64."
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=0.99, help="An attribute is relevant if the lower limit of its R² is above this."),
    ] = RELEVANT_R_SQUARED,
    out: Annotated[Path | None, typer.Option(help="Also write the answer key, as JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what a model relies on: change one attribute of its pictures at a time, and watch the answer.

    Example: understudy worlds importance sixt2022 --model cnn-64 --out answer_key.json
    """
    work.worlds_models.importance(
        world, model=model, n=n, seed=seed, mode=mode, edge=edge, threshold=threshold, out=out, as_json=as_json
    )


def observe(
    pictures: Annotated[
        Path,
        typer.Argument(
            help="A folder with grid.json, each of whose rows is an interpolation; or an .npy file of 8 bits: (row, step, "
            "height, width, channel)."
        ),
    ],
    observer: Annotated[Path, typer.Option(help="The ONNX file of an observer, with its card next to it.")],
    moves: Annotated[
        list[str] | None, typer.Option(help="An attribute that a row is meant to change; repeat for more.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Instead of --moves: the answer key of `understudy worlds importance`.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check counterfactual pictures before a study: do they move what they should, and nothing else?

    Example: understudy worlds observe rows.npy --observer observer-64.onnx --key answer_key.json
    """
    work.worlds_models.observe(pictures, observer=observer, moves=moves, key=key, as_json=as_json)
