"""Own scale: maps that fill a scale from 0 to 1, so that its numbers do not tell how much evidence there is."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from understudy.roles import Floats


class OwnScale(NamedTuple):
    """The maps of one picture and the limits that they fill together."""

    grids: tuple[Floats, ...]
    limits: tuple[float, float]


def on_own_scale(grids: Sequence[Floats], *, is_signed: bool) -> OwnScale:
    """Stretch maps to 0 to 1, or around 0 to -1 to 1 for maps with two signs; a flat map is 0 everywhere."""
    if is_signed:
        reach = max(float(np.abs(grid).max()) for grid in grids) or 1.0
        return OwnScale(tuple(grid / reach for grid in grids), (-1.0, 1.0))
    low, high = min(float(grid.min()) for grid in grids), max(float(grid.max()) for grid in grids)
    span = high - low or 1.0
    return OwnScale(tuple((grid - low) / span for grid in grids), (0.0, 1.0))
