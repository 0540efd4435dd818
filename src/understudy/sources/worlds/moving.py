"""Moving attributes: the ideal counterfactual of a picture, drawn again with some attributes changed.

What a counterfactual explainer should show if it were perfect: the logit reaches its target because relevant attributes
moved, and everything else is the same. The attributes move along the direction in which the model's logits rise, by
linear regression on many pictures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.roles import Floats, Ints, Pixels, Table
from understudy.sources.logit_columns import N_COLUMNS
from understudy.sources.worlds.rendering import render_row
from understudy.sources.worlds.world import World

N_ALONG = 25
"""Pictures drawn along the whole direction, before the steps are refined."""
N_REFINED = 12
N_TRIED = 6
"""Starting pictures that are tried for a row before it is given up."""
_REACH = 4.0
"""How many times as far as the first attribute meets its limit the others may still move."""


@dataclass(frozen=True)
class Staging:
    """What draws pictures, and what judges them."""

    world: World
    edge: int
    logits_of: Callable[[Pixels], Floats]
    """Pictures (picture, row, column, channel) -> the model's logits."""
    moved: tuple[str, ...]
    """The attributes that may change."""
    tolerance: float = 0.1
    """How far a logit may be from its target, where the attributes cannot bring it nearer."""

    def drawn(self, rows: Floats) -> Pixels:
        """Draw rows of attributes, in the order that the world declares them."""
        table = pd.DataFrame(rows, columns=list(self.world.names))
        return np.stack([render_row(self.world, table, number, edge=self.edge).picture for number in range(len(table))])


class MovedRow(NamedTuple):
    """Pictures of one starting picture, one for each target."""

    start: int
    attributes: Floats
    """Target, attribute."""
    pictures: Pixels
    logits: Floats


def attribute_rows(world: World, table: Table) -> Floats:
    """Return the attributes of a table as numbers, in the order that the world declares them."""
    missing = [name for name in world.names if name not in table]
    if missing:
        raise MaterialsError(
            f"The pictures lack the attributes {', '.join(missing)} of the world {world.name!r}. Bind the dataset "
            "rendered_world with the same world."
        )
    rows: Floats = table[list(world.names)].to_numpy(dtype=np.float64)
    return rows


def direction_of(staging: Staging, rows: Floats, logits: Floats) -> Floats:
    """Return how all attributes change along the direction: 0 for those that stay."""
    direction = np.zeros(len(staging.world.names))
    places = [staging.world.names.index(staging.world.attribute(name).name) for name in staging.moved]
    values = rows[:, places]
    spread = values.std(axis=0)
    if not (spread > 0).all() or np.ptp(logits) == 0:
        raise MaterialsError(
            f"The model's logits do not change with {', '.join(staging.moved)}, so there are no counterfactuals. Name "
            "other attributes in `moved`, or more pictures."
        )
    # In units of each attribute's spread, so that none counts more because of its unit.
    inputs = np.column_stack([(values - values.mean(axis=0)) / spread, np.ones(len(values))])
    slopes = np.linalg.lstsq(inputs, logits, rcond=None)[0][:-1]
    direction[places] = slopes * spread
    return direction


def moved_rows(
    staging: Staging, rows: Floats, candidates: Sequence[Ints], *, direction: Floats, targets: Sequence[float], n: int
) -> list[MovedRow]:
    """Return n rows whose pictures reach every target, starting from the groups of candidates in turn."""
    found: list[MovedRow] = []
    left = [list(map(int, group)) for group in candidates]
    for number in range(n):
        group = left[number % N_COLUMNS]
        for _ in range(min(N_TRIED, len(group))):
            row = _moved(staging, rows, group.pop(0), direction, np.array(targets))
            if row is not None:
                found.append(row)
                break
    if len(found) < n:
        raise MaterialsError(
            f"Only {len(found)} of {n} rows reach logits from {min(targets):.2f} to {max(targets):.2f} by moving "
            f"{', '.join(staging.moved)}. Name more attributes in `moved`, or a lower percentile."
        )
    return found


def _moved(staging: Staging, rows: Floats, start: int, direction: Floats, targets: Floats) -> MovedRow | None:
    """Search the step to each target; None if some target is beyond what the attributes can reach."""
    low, high = (np.array(ends) for ends in zip(*(a.law.limits for a in staging.world.attributes), strict=True))

    def at(steps: Floats) -> Floats:
        clipped: Floats = np.clip(rows[start] + steps[:, None] * direction, low, high)
        # What does not move stays exactly as it is, even where it was set by hand outside the limits.
        return np.where(direction == 0, rows[start], clipped)

    moves = direction != 0
    lengths = (high - low)[moves] / np.abs(direction[moves])
    reach = min(float(lengths.max()), _REACH * float(lengths.min()))
    steps = np.linspace(-reach, reach, N_ALONG)
    along = staging.logits_of(staging.drawn(at(steps)))
    brackets = [_bracket(steps, along - target, staging.tolerance) for target in targets]
    if any(bracket is None for bracket in brackets):
        return None
    lower, upper = (np.array(ends) for ends in zip(*(b for b in brackets if b is not None), strict=True))
    for _ in range(N_REFINED):
        middle = (lower + upper) / 2
        is_short = staging.logits_of(staging.drawn(at(middle))) < targets
        lower, upper = np.where(is_short, middle, lower), np.where(is_short, upper, middle)
    attributes = at(upper)
    pictures = staging.drawn(attributes)
    return MovedRow(start, attributes, pictures, staging.logits_of(pictures))


def _bracket(steps: Floats, over: Floats, tolerance: float) -> tuple[float, float] | None:
    """Return the two steps, nearest to the start, between which the logit rises past the target.

    Where it never does, as at the end of what a saturated model says, the step that comes nearest may be near enough.
    """
    rises = np.flatnonzero((over[:-1] < 0) & (over[1:] >= 0))
    if len(rises):
        nearest = rises[np.argmin(np.abs(steps[rises] + steps[rises + 1]))]
        return float(steps[nearest]), float(steps[nearest + 1])
    closest = int(np.argmin(np.abs(over)))
    return (float(steps[closest]),) * 2 if abs(over[closest]) <= tolerance else None
