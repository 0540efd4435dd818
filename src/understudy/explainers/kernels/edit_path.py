"""Edit path: from an input to its counterfactual, one edit at a time, in the smallest steps."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Step(NamedTuple):
    """The positions edited so far, in that order, and the input with these edits."""

    places: tuple[int, ...]
    row: Floats


def edit_path(start: Floats, end: Floats, evidence: Callable[[Floats], Floats]) -> list[Step]:
    """Repeatedly apply the remaining edit that changes the evidence least, until the input is the counterfactual."""
    left = [int(position) for position in np.flatnonzero(start != end)]
    row, steps, done = start, list[Step](), list[int]()
    while left:
        # All remaining edits are tried in one batch; greedy, since all orders would be factorial in number.
        tried = np.repeat(row[None], len(left), axis=0)
        tried[np.arange(len(left)), left] = end[left]
        scores = evidence(np.vstack([row, tried]))
        nearest = int(np.argmin(np.abs(scores[1:] - scores[0])))
        row = tried[nearest]
        done.append(left.pop(nearest))
        steps.append(Step(tuple(done), row))
    return steps
