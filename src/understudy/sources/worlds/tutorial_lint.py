"""Tutorial lint: proves that a made-up grid for a tutorial gives nothing of the study away."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from understudy.roles import Floats
from understudy.schema import GridFile
from understudy.sources.grid_folders import read_grid_folder
from understudy.sources.worlds.given import Given
from understudy.sources.worlds.world import World


def tutorial_faults(tutorial: Path, world: World, relevant: Collection[str], shown: Sequence[Path] = ()) -> list[str]:
    """Say what a tutorial's grid folder gives away about a study.

    `world` is what the study's pictures are drawn from, `relevant` are the attributes its model relies on, and `shown` are
    the grid folders that the study shows.
    """
    grid = read_grid_folder(tutorial)
    return [
        *_relevant_faults(grid, tutorial.name, relevant),
        *_sampler_faults(grid, tutorial.name, world),
        *_file_faults(grid, tutorial, shown),
    ]


def possible_rows(world: World, rows: Floats) -> npt.NDArray[np.bool_]:
    """Say of each row of attributes, in the order that the world declares them, whether the world can draw it."""
    columns = dict(zip(world.names, rows.T, strict=True))
    is_possible = np.zeros(len(rows), dtype=bool)
    for number in range(len(world.classes)):
        given = Given(world.classes, np.full(len(rows), number, dtype=np.int64), columns)
        densities = [attribute.law.density(columns[attribute.name], given) for attribute in world.attributes]
        is_possible |= np.all(np.stack(densities) > 0, axis=0)
    return is_possible


def _relevant_faults(grid: GridFile, name: str, relevant: Collection[str]) -> list[str]:
    if not grid.relevant:
        return [f"The tutorial grid {name!r} does not say what is relevant in it. Name the attributes in `relevant`."]
    shared = [attribute for attribute in grid.relevant if attribute in relevant]
    if not shared:
        return []
    return [
        f"In the tutorial grid {name!r}, {', '.join(shared)} is relevant, as in the study. Let other attributes decide."
    ]


def _sampler_faults(grid: GridFile, name: str, world: World) -> list[str]:
    bare = [cell.file for cell in grid.cells if not set(world.names) <= cell.attributes.keys()]
    if bare:
        return [
            f"The tutorial grid {name!r} does not say what {bare[0]!r} was drawn with, so that nobody can tell whether "
            "the study might show it. Store the attributes of every picture."
        ]
    rows = np.array([[cell.attributes[attribute] for attribute in world.names] for cell in grid.cells])
    drawable = [
        cell.file for cell, is_possible in zip(grid.cells, possible_rows(world, rows), strict=True) if is_possible
    ]
    if not drawable:
        return []
    return [
        f"{len(drawable)} pictures of the tutorial grid {name!r}, such as {drawable[0]!r}, could come from the world "
        f"{world.name!r} of the study. Draw them with values that it cannot draw."
    ]


def _file_faults(grid: GridFile, tutorial: Path, shown: Sequence[Path]) -> list[str]:
    own = {(tutorial / cell.file).read_bytes(): cell.file for cell in grid.cells}
    return [
        f"{own[content]!r} of the tutorial grid {tutorial.name!r} is also {cell.file!r} of {folder.name!r}. Replace it."
        for folder in shown
        for cell in read_grid_folder(folder).cells
        if (content := (folder / cell.file).read_bytes()) in own
    ]
