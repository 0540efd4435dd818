"""Check counterfactual pictures before a study: do they move what they should, and nothing else?

Flip rates say nothing about this: a picture can change its class without changing visibly. An observer, which learned to
read attributes off unbiased pictures, says what a person could see.
"""

from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from understudy.errors import MaterialsError
from understudy.roles import Explained, Floats, Pixels
from understudy.schema import PictureGrid, RelevanceKey
from understudy.schema.relevance import AttributeMovement, MovementRule, ObserverCheck, movement_verdict
from understudy.sources.grids import read_grid_folder

_GAPS = "Some rows of the grid have empty cells. Give a grid in which every row is an interpolation."


class PictureObserver(Protocol):
    """Reads attributes off pictures; `understudy.inference.onnx_models` opens trained ones."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of what it reads."""

    @property
    def spreads(self) -> tuple[float, ...]:
        """Standard deviation of each attribute among ordinary pictures."""

    def read(self, pictures: Pixels) -> Floats:
        """Return one row of attributes for each picture (height, width, channels)."""


@runtime_checkable
class SaysItsErrors(Protocol):
    """An observer that says how well it reads."""

    @property
    def unexplained(self) -> tuple[float, ...]:
        """Share of the variance of each attribute that it misses; empty if that was not measured."""


def observer_check(
    pictures: Pixels,
    observer: PictureObserver,
    should_move: Collection[str] | RelevanceKey,
    *,
    rule: MovementRule | None = None,
    name: str = "observer",
) -> ObserverCheck:
    """Measure what rows of counterfactuals move: (row, step, height, width, channel), 8 bits.

    `should_move` names the attributes that a row is meant to change, or is the key that says what the model relies on.
    """
    seen = observed_values(pictures, observer)
    wanted = _wanted(should_move, observer.attributes)
    used = rule or MovementRule()
    span = seen.max(axis=1) - seen.min(axis=1)
    missed = observer.unexplained if isinstance(observer, SaysItsErrors) else ()
    rows = []
    for number, attribute in enumerate(observer.attributes):
        mean = float(span[:, number].mean())
        mean_in_spreads = mean / observer.spreads[number]
        should = attribute in wanted
        unexplained = missed[number] if missed else None
        r_squared = None if unexplained is None else 1 - unexplained
        rows.append(
            AttributeMovement(
                attribute=attribute,
                mean=mean,
                sd=float(span[:, number].std(ddof=1)) if len(span) > 1 else None,
                mean_in_spreads=mean_in_spreads,
                unexplained=unexplained,
                should_move=should,
                verdict=movement_verdict(mean_in_spreads, should, used, r_squared),
            )
        )
    n_rows, n_steps = pictures.shape[:2]
    return ObserverCheck(observer=name, n_rows=n_rows, n_steps=n_steps, rule=used, attributes=tuple(rows))


def observed_values(pictures: Pixels, observer: PictureObserver) -> Floats:
    """Return what the observer reads: (row, step, attribute), for figures like 5 and 6 of the paper."""
    if pictures.ndim != 5 or pictures.shape[0] < 1 or pictures.shape[1] < 2:
        raise MaterialsError(
            f"The counterfactuals have the shape {pictures.shape}. Give (rows, steps, height, width, channels), with at least two "
            "steps in a row."
        )
    n_rows, n_steps = pictures.shape[:2]
    flat = observer.read(pictures.reshape(n_rows * n_steps, *pictures.shape[2:]))
    return flat.reshape(n_rows, n_steps, -1)


def pictures_from_grid(explained: Explained) -> Pixels:
    """Return the pictures of a grid, as a model explainer gives it, as (row, step, height, width, channel)."""
    grid = explained.explanations[0]
    if not isinstance(grid, PictureGrid):
        raise MaterialsError(f"The explanation is {grid.kind!r}. Give one that shows a grid of pictures.")
    rows = [[cell for cell in row if cell is not None] for row in grid.rows]
    if any(len(row) < len(grid.rows[0]) for row in rows):
        raise MaterialsError(_GAPS)
    return _stacked([[explained.files[cell.picture.file] for cell in row] for row in rows])


def pictures_from_grid_folder(folder: Path) -> Pixels:
    """Return the pictures of a grid folder (`grid.json` with its PNG files) as (row, step, height, width, channel)."""
    grid = read_grid_folder(folder)
    files = [[cell.file for cell in row if cell is not None] for row in grid.rows]
    if any(len(names) < len(row) for names, row in zip(files, grid.rows, strict=True)):
        raise MaterialsError(_GAPS)
    return _stacked([[(folder / name).read_bytes() for name in names] for names in files])


def _stacked(rows: list[list[bytes]]) -> Pixels:
    pixels = [[np.asarray(Image.open(BytesIO(content)).convert("RGB")) for content in row] for row in rows]
    shapes = {picture.shape for row in pixels for picture in row}
    if len(shapes) > 1:
        raise MaterialsError(
            f"The pictures of the grid differ in size: {sorted(shapes)}. Draw all of them in one size."
        )
    return np.array(pixels, dtype=np.uint8)


def _wanted(should_move: Collection[str] | RelevanceKey, known: tuple[str, ...]) -> set[str]:
    if isinstance(should_move, RelevanceKey):
        return {row.attribute for row in should_move.attributes if row.verdict == "relevant"}
    unknown = sorted(set(should_move) - set(known))
    if unknown:
        raise MaterialsError(f"The observer does not read {unknown[0]!r}. It reads: {', '.join(known)}.")
    return set(should_move)
