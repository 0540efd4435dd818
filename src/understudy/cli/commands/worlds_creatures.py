"""The options of `understudy worlds creatures`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from understudy.cli.commands import work
from understudy.cli.commands.listed_names import CREATURE_EDGE, N_SPECIES, USUAL_SPECIES
from understudy.cli.commands.worlds_options import Edge, Seed

SpeciesCount = Annotated[int, typer.Option(min=2, max=N_SPECIES, help="How many species, from the first.")]


def species(
    out: Annotated[Path, typer.Option(help="The PNG file.")] = Path("species.png"),
    n_species: SpeciesCount = USUAL_SPECIES,
    edge: Edge = 160,
) -> None:
    """Draw one creature of each species on a sheet.

    Example: understudy worlds species --out species.png
    """
    work.worlds_creatures.species(out=out, n_species=n_species, edge=edge)


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
    work.worlds_creatures.creatures(out, n=n, part=part, seed=seed, edge=edge, n_species=n_species)
