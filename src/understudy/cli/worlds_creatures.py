"""`understudy worlds species` and `understudy worlds creatures`: generated animals whose parts can be removed."""

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.progress import progress
from understudy.cli.worlds_options import Edge, Seed
from understudy.errors import MaterialsError
from understudy.sources.scenes.creatures import CreatureSet, species_sheet, write_creatures
from understudy.sources.scenes.creatures.sets import EDGE, SetPart
from understudy.sources.scenes.creatures.species import DEFAULT_SPECIES, SPECIES
from understudy.workflow.worlds import write_sheet

SpeciesCount = Annotated[int, typer.Option(min=2, max=len(SPECIES), help="How many species, from the first.")]


def species(
    out: Annotated[Path, typer.Option(help="The PNG file.")] = Path("species.png"),
    n_species: SpeciesCount = DEFAULT_SPECIES,
    edge: Edge = 160,
) -> None:
    """Draw one creature of each species on a sheet.

    Example: understudy worlds species --out species.png
    """
    if out.suffix != ".png":
        raise MaterialsError(f"{out.name} does not end in .png. Write a sheet to a file that does.")
    write_sheet(species_sheet(n_species, edge=edge), out)
    typer.echo(f"Wrote {n_species} species to {out}.")


def creatures(
    out: Annotated[Path, typer.Argument(help="Folder for the pictures, in shards, masks and attributes.csv.")],
    n: Annotated[int, typer.Option(min=1, help="Pictures.")] = 1200,
    part: Annotated[SetPart, typer.Option(help="Creatures to train with, or others to test with.")] = "test",
    seed: Seed = 0,
    edge: Edge = EDGE,
    n_species: SpeciesCount = DEFAULT_SPECIES,
) -> None:
    """Draw creatures and the masks of their parts into a folder; run it again to go on where it stopped.

    Example: understudy worlds creatures train-creatures --part train --n 5004
    """
    chosen = CreatureSet(n=n, seed=seed, part=part, n_species=n_species, edge=edge)
    n_shown = 0
    with progress("Drawing", n) as advance:

        def told(n_done: int, _total: int) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        write_creatures(chosen, out, progress=told)
    typer.echo(f"{n:,} creatures are in {out}. In a study, the dataset creatures reads them: folder = {str(out)!r}.")
