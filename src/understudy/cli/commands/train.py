"""The options of `understudy train`, `data` and `tune`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.arguments import RunArgument
from understudy.cli.commands.listed_names import DATASETS, RECIPES
from understudy.cli.plain_commands import command_group

# The options of `understudy data`.

data = command_group(
    "data",
    "Fetch datasets, and list what is there.",
    example="understudy data get mnist",
)
FolderOption = Annotated[
    Path | None, typer.Option(help="The data folder. Default: the folder in UNDERSTUDY_DATA, or ~/.understudy/data.")
]


@data.command()
def get(
    name: Annotated[str, typer.Argument(help=f"What to fetch: {', '.join(DATASETS)}.")],
    folder: FolderOption = None,
) -> None:
    """Download a dataset and check it. Files that are already there stay.

    Example: understudy data get mnist
    """
    from understudy.cli import train as work

    work.get(name, folder=folder)


@data.command("list")
def list_data(folder: FolderOption = None) -> None:
    """List the datasets, and which of them are there.

    Example: understudy data list
    """
    from understudy.cli import train as work

    work.list_data(folder=folder)


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
    from understudy.cli import train as work

    work.train(
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


# The options of `understudy tune`.


def tune(
    folder: RunArgument,
    share: Annotated[
        float, typer.Option(min=0.01, max=1, help="Share of questions that people should be able to solve.")
    ] = 0.75,
    synthetic: Annotated[
        bool, typer.Option("--synthetic", help="Read the simulated people of a rehearsal instead of real ones.")
    ] = False,
    figure: Annotated[Path | None, typer.Option(help="Draw the results to this file (.svg, .png).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the proposals as JSON only.")] = False,
) -> None:
    """From a pilot with dials, suggest when to offer the skip and which agreement counts as a match.

    Example: understudy tune runs/pilot --figure tuning.svg
    """
    from understudy.cli import train as work

    work.tune(folder, share=share, synthetic=synthetic, figure=figure, as_json=as_json)
