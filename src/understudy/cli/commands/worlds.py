"""The options of `understudy worlds`."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from understudy.cli.commands.listed_names import CREATURE_EDGE, N_SPECIES, RELEVANT_R_SQUARED, USUAL_SPECIES

# Options that commands about worlds share.

WorldArgument: TypeAlias = Annotated[
    str,
    typer.Argument(help="A world such as sixt2022, a .toml file, or a .py file that assigns `world` (FILE.py:NAME)."),
]
Seed: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of every draw.")]
Edge: TypeAlias = Annotated[int, typer.Option(min=8, max=2048, help="Pixels a side of each picture.")]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")]


# The options of `understudy worlds creatures`.

SpeciesCount = Annotated[int, typer.Option(min=2, max=N_SPECIES, help="How many species, from the first.")]


def species(
    out: Annotated[Path, typer.Option(help="The PNG file.")] = Path("species.png"),
    n_species: SpeciesCount = USUAL_SPECIES,
    edge: Edge = 160,
) -> None:
    """Draw one creature of each species on a sheet.

    Example: understudy worlds species --out species.png
    """
    from understudy.cli import worlds as work

    work.species(out=out, n_species=n_species, edge=edge)


def creatures(
    out: Annotated[Path, typer.Argument(help="Folder for the pictures, in shards, masks and attributes.csv.")],
    n: Annotated[int, typer.Option(min=1, max=1_000_000, help="Pictures.")] = 1200,
    part: Annotated[
        Literal["train", "test"], typer.Option(help="Creatures to train with, or others to test with.")
    ] = "test",
    seed: Seed = 0,
    edge: Edge = CREATURE_EDGE,
    n_species: SpeciesCount = USUAL_SPECIES,
) -> None:
    """Draw creatures and the masks of their parts into a folder. Run it again to continue an interrupted run.

    Example: understudy worlds creatures train-creatures --part train --n 5004
    """
    from understudy.cli import worlds as work

    work.creatures(out, n=n, part=part, seed=seed, edge=edge, n_species=n_species)


# The options of `understudy worlds models`.


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
    from understudy.cli import worlds as work

    work.importance(
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
    from understudy.cli import worlds as work

    work.observe(pictures, observer=observer, moves=moves, key=key, as_json=as_json)


worlds = typer.Typer(
    name="worlds",
    invoke_without_command=True,
    help="Worlds with known causes: list, sample, audit, render and show them, and ask what a model relies on.\n\n"
    "Example: understudy worlds importance sixt2022 --model model.onnx",
)
Unbiased = Annotated[
    bool, typer.Option("--unbiased", help="Draw every attribute as if its causes were cut, except those of --keep.")
]
Keep = Annotated[list[str] | None, typer.Option(help="An attribute that keeps its causes; repeat for more.")]
worlds.command()(importance)
worlds.command()(observe)
worlds.command()(species)
worlds.command()(creatures)


@worlds.callback()
def list_worlds(context: typer.Context, as_json: AsJson = False) -> None:
    """List the worlds that come with the package, when no command is named."""
    from understudy.cli import worlds as work

    if context.invoked_subcommand is None:
        work.list_worlds(as_json=as_json)


@worlds.command()
def sample(
    world: WorldArgument,
    n: Annotated[int, typer.Option(min=1, max=1_000_000, help="Rows.")] = 1000,
    seed: Seed = 0,
    is_unbiased: Unbiased = False,
    keep: Keep = None,
    out: Annotated[Path | None, typer.Option(help="The CSV file. Default: print to the screen.")] = None,
    as_json: AsJson = False,
) -> None:
    """Draw rows of a world as a table: its class, its label and every attribute.

    Example: understudy worlds sample sixt2022 --n 1000 --out rows.csv
    """
    from understudy.cli import worlds as work

    work.sample(world, n=n, seed=seed, is_unbiased=is_unbiased, keep=keep, out=out, as_json=as_json)


@worlds.command()
def audit(
    world: WorldArgument,
    seed: Seed = 0,
    n_train: Annotated[int, typer.Option(min=20, max=1_000_000, help="Rows that the trees learn from.")] = 10_000,
    n_test: Annotated[int, typer.Option(min=20, max=1_000_000, help="Rows that they are tested on.")] = 2_000,
    as_json: AsJson = False,
) -> None:
    """Show what attributes give away about the class, before any picture is drawn.

    Example: understudy worlds audit sixt2022
    """
    from understudy.cli import worlds as work

    work.audit(world, seed=seed, n_train=n_train, n_test=n_test, as_json=as_json)


@worlds.command()
def render(
    world: WorldArgument,
    out: Annotated[Path, typer.Argument(help="Folder for the pictures, in shards, and attributes.csv.")],
    n: Annotated[int, typer.Option(min=1, max=1_000_000, help="Pictures.")] = 1000,
    seed: Seed = 0,
    edge: Edge = 128,
    is_unbiased: Unbiased = False,
    keep: Keep = None,
    masks: Annotated[bool, typer.Option("--masks", help="Also record which part each pixel shows.")] = False,
    workers: Annotated[int, typer.Option(help="Pictures drawn at once; -1 is one for each core.")] = -1,
    engine: Annotated[str, typer.Option(help="local, or dask://host:port of a Dask scheduler.")] = "local",
) -> None:
    """Draw pictures of a world into a folder. Run it again to continue an interrupted run.

    Example: understudy worlds render sixt2022 pictures --n 1000 --edge 64
    """
    from understudy.cli import worlds as work

    work.render(
        world,
        out,
        n=n,
        seed=seed,
        edge=edge,
        is_unbiased=is_unbiased,
        keep=keep,
        masks=masks,
        workers=workers,
        engine=engine,
    )


@worlds.command()
def sheet(
    world: WorldArgument,
    out: Annotated[Path, typer.Option(help="The PNG file; with --joint also .svg.")] = Path("sheet.png"),
    rows: Annotated[int, typer.Option(min=1, max=40, help="Rows of pictures for each class.")] = 3,
    columns: Annotated[int, typer.Option(min=1, max=40, help="Pictures in a row.")] = 10,
    edge: Edge = 96,
    seed: Seed = 0,
    with_joint: Annotated[
        str | None, typer.Option("--joint", help="Draw how others are distributed over this attribute, as Fig. 3 does.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(help="Another attribute of that figure; repeat for more.")
    ] = None,
) -> None:
    """Show a world at a glance: many pictures on one sheet, or joint distributions of its attributes.

    Example: understudy worlds sheet sixt2022 --joint legs --out joint.svg
    """
    from understudy.cli import worlds as work

    work.sheet(world, out=out, rows=rows, columns=columns, edge=edge, seed=seed, with_joint=with_joint, against=against)
