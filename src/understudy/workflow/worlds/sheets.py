"""Contact sheets: many pictures of a world at a glance."""

from pathlib import Path

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Pixels, Table
from understudy.sources.pictures import picture_from_pixels
from understudy.sources.worlds import World, sample
from understudy.workflow.worlds.world_pictures import Advance, pictures_of

GAP = 4
_WHITE = 255


def contact_sheet(
    world: World, table: Table, *, n_columns: int, edge: int = 96, advance: Advance = lambda _: None
) -> Pixels:
    """Return the rows of a table as one picture, from left to right and from top to bottom."""
    n_rows = -(-len(table) // n_columns)
    step = edge + GAP
    sheet = np.full((n_rows * step + GAP, n_columns * step + GAP, 3), _WHITE, dtype=np.uint8)
    number = 0
    for pictures in pictures_of(world, table, edge):
        for picture in pictures:
            top, left = (GAP + step * place for place in divmod(number, n_columns))
            sheet[top : top + edge, left : left + edge] = picture
            number += 1
        advance(len(pictures))
    return sheet


def rows_by_class(world: World, n_each: int, seed: int) -> Table:
    """Return as many rows of each class, one class after the other."""
    table = sample(world, max(200, 20 * n_each * len(world.classes)), seed)
    short = [name for name in world.classes if (table["class"] == name).sum() < n_each]
    if short:
        raise MaterialsError(
            f"The class {short[0]!r} is too rare to fill a sheet: fewer than {n_each} among {len(table)} rows. Raise its prior."
        )
    numbers = np.concatenate([np.flatnonzero(table["class"] == name)[:n_each] for name in world.classes])
    return table.iloc[numbers]


def write_sheet(sheet: Pixels, path: Path) -> Path:
    """Write a sheet as a PNG file."""
    if path.suffix != ".png":
        raise MaterialsError(
            f"{path.name} ends in {path.suffix or 'nothing'!r}; write a sheet to a file that ends in .png."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture_from_pixels(sheet).content)
    return path
