"""Edit path: the way from an input to its counterfactual, one edit at a time, in the smallest steps."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Step(NamedTuple):
    """The places edited so far, in the order of their editing, and the input with these edits."""

    places: tuple[int, ...]
    row: Floats


def edit_path(start: Floats, end: Floats, evidence: Callable[[Floats], Floats]) -> list[Step]:
    """Apply again and again the remaining edit that changes the evidence least; the last step is the end itself."""
    left = [int(place) for place in np.flatnonzero(start != end)]
    row, steps, done = start, list[Step](), list[int]()
    while left:
        tried = np.repeat(row[None], len(left), axis=0)
        tried[np.arange(len(left)), left] = end[left]
        said = evidence(np.vstack([row, tried]))
        nearest = int(np.argmin(np.abs(said[1:] - said[0])))
        row = tried[nearest]
        done.append(left.pop(nearest))
        steps.append(Step(tuple(done), row))
    return steps
