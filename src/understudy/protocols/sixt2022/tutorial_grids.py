"""Tutorial grids: clean, made-up explanations of each kind, in which other attributes decide than in the study.

Here background and bending decide, as if a system were that simple. The animals are shifted to where the study never
puts them, so that no picture can occur in both.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from understudy.explainers.whole_model.recorded_grid import highlight_of
from understudy.roles import Floats
from understudy.schema import GridFile, Outline, RecordedCell
from understudy.sources.grid_folders import picture_name, write_grid_folder
from understudy.sources.logit_columns import N_COLUMNS, certainty_headings
from understudy.sources.scenes.renderer import Rendered
from understudy.sources.worlds import World, render_row, sixt2022

RELEVANT = ("background", "bending")
N_ROWS = 4
STEEPEST = 0.39
"""Just within what the renderer allows, and beyond the study, which bends by at most 0.31."""
_LEVELS = np.linspace(-1, 1, N_COLUMNS)
"""How certain the made-up system is in each column: -1 of Peeky, 1 of Stretchy."""
_METHOD = (
    "Drawn by the renderer for a tutorial. No model was asked: in this made-up system, a blue background and bending to "
    "one side speak for Stretchy, a red background and bending to the other side for Peeky."
)


def write_tutorial_grids(out: Path, *, seed: int, n_pixels: int) -> None:
    """Write the grids baseline, counterfactuals and concepts, each with 4 rows of 5 pictures."""
    for name, make in _KINDS.items():
        make(out / name, np.random.default_rng([seed, *name.encode()]), n_pixels)


def _baseline(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Every picture is another animal; only background and bending follow the columns."""
    levels = np.tile(_LEVELS, (N_ROWS, 1)) + rng.uniform(-0.12, 0.12, (N_ROWS, N_COLUMNS))
    rows = [[_animal(rng) | _deciding(float(level)) for level in line] for line in levels]
    _write(folder, rows, n_pixels, headings=certainty_headings(sixt2022().classes))


def _counterfactuals(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Every row is one animal; only background and bending change."""
    rows = []
    for _ in range(N_ROWS):
        animal = _animal(rng)
        rows.append([animal | _deciding(float(level)) for level in _LEVELS])
    _write(folder, rows, n_pixels, headings=certainty_headings(sixt2022().classes))


def _concepts(folder: Path, rng: np.random.Generator, n_pixels: int) -> None:
    """Two concepts, high and low: the colour of the background, and the bending of the animal."""
    rows = []
    for concept in RELEVANT:
        for level in (1.0, -1.0):
            others = rng.uniform(-1, 1, N_COLUMNS)
            rows.append([_animal(rng) | _deciding(other) | {concept: _deciding(level)[concept]} for other in others])
    names = [f"Concept {number + 1}, {amount}" for number in range(len(RELEVANT)) for amount in ("high", "low")]
    _write(folder, rows, n_pixels, row_names=tuple(names))


_KINDS: dict[str, Callable[[Path, np.random.Generator, int], None]] = {
    "baseline": _baseline,
    "counterfactuals": _counterfactuals,
    "concepts": _concepts,
}


def _animal(rng: np.random.Generator) -> dict[str, float]:
    """Draw an animal of any legs, colour and shape, above and right of where the study has its animals."""
    low = {"legs": 0.0, "hue": 0.0, "shape": 0.0, "yaw": 0.0, "roll": -0.05, "pitch": -0.3, "x": 0.1, "y": 0.1}
    high = {"legs": 1.0, "hue": 1.0, "shape": 1.0, "yaw": 2 * math.pi, "roll": 0.05, "pitch": 0.3, "x": 0.5, "y": 0.5}
    return {name: round(float(rng.uniform(low[name], high[name])), 4) for name in low}


def _deciding(level: float) -> dict[str, float]:
    """Return background and bending; red speaks for Peeky, so that nobody takes it for the animal's red of the study."""
    within = min(max(level, -1.0), 1.0)
    return {"background": round(0.5 - 0.45 * within, 4), "bending": round(STEEPEST * within, 4)}


def _write(
    folder: Path,
    rows: list[list[dict[str, float]]],
    n_pixels: int,
    *,
    headings: tuple[str, ...] = (),
    row_names: tuple[str, ...] = (),
) -> None:
    world = sixt2022()
    drawn = [_drawn(world, row, n_pixels) for row in rows]
    cells = tuple(
        tuple(
            RecordedCell(
                file=picture_name(number, column),
                attributes={name: cell[name] for name in world.names},
                highlight=_highlight(number, picture) if row_names else (),
            )
            for column, (cell, picture) in enumerate(zip(row, pictures, strict=True))
        )
        for number, (row, pictures) in enumerate(zip(rows, drawn, strict=True))
    )
    grid = GridFile(
        method=_METHOD,
        relevant=RELEVANT,
        column_headings=headings,
        row_headings=row_names,
        rows=cells,
    )
    write_grid_folder(folder, grid, [[picture.picture for picture in pictures] for pictures in drawn])


def _drawn(world: World, row: list[dict[str, float]], n_pixels: int) -> list[Rendered]:
    table = pd.DataFrame(row)
    return [render_row(world, table, number, edge=n_pixels) for number in range(len(table))]


def _highlight(row: int, picture: Rendered) -> tuple[Outline, ...]:
    """Outline the background in the rows of the first concept, and the animal in those of the second."""
    is_background: Floats = (picture.mask == 0).astype(np.float64)
    return highlight_of(is_background if row < 2 else 1 - is_background, len(is_background))
