"""`understudy worlds species` and `understudy worlds creatures`: generated animals whose parts can be removed."""

from pathlib import Path

import typer

from understudy.cli.progress import progress
from understudy.errors import MaterialsError
from understudy.sources.scenes.creatures import CreatureSet, species_sheet, write_creatures
from understudy.sources.scenes.creatures.sets import SetPart
from understudy.workflow.worlds import write_sheet


def species(*, out: Path, n_species: int, edge: int) -> None:
    """Draw one creature of each species on a sheet."""
    if out.suffix != ".png":
        raise MaterialsError(f"{out.name} does not end in .png. Write a sheet to a file that does.")
    write_sheet(species_sheet(n_species, edge=edge), out)
    typer.echo(f"Wrote {n_species} species to {out}.")


def creatures(out: Path, *, n: int, part: SetPart, seed: int, edge: int, n_species: int) -> None:
    """Draw creatures and the masks of their parts into a folder. Run it again to continue an interrupted run."""
    chosen = CreatureSet(n=n, seed=seed, part=part, n_species=n_species, edge=edge)
    n_shown = 0
    with progress("Drawing", n) as advance:

        def told(n_done: int, _total: int) -> None:
            nonlocal n_shown
            advance(n_done - n_shown)
            n_shown = n_done

        write_creatures(chosen, out, progress=told)
    typer.echo(f"{n:,} creatures are in {out}. In a study, the dataset creatures reads them: folder = {str(out)!r}.")
