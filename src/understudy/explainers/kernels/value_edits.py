"""Value edits: few variables of a row set to other values, each set of variables and each value as likely."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def edited_rows(row: Floats, n_values: Sequence[int], n_rows: int, max_edits: int, rng: np.random.Generator) -> Floats:
    """Draw rows with one to max_edits edits; a variable with one value only is never edited."""
    sizes = np.asarray(n_values, dtype=np.int64)
    open_to_edits = np.flatnonzero(sizes > 1)
    most = min(max_edits, len(open_to_edits))
    rows = np.repeat(row[None], n_rows, axis=0)
    if most == 0:
        return rows
    n_edits = rng.integers(1, most + 1, size=n_rows)
    picked = _different(n_rows, most, len(open_to_edits), rng)
    for turn in range(most):
        edited = np.flatnonzero(n_edits > turn)
        column = open_to_edits[picked[edited, turn]]
        value = (rng.random(len(edited)) * (sizes[column] - 1)).astype(np.int64)
        value += value >= row[column].astype(np.int64)
        rows[edited, column] = value
    return rows


def _different(n_rows: int, n_picked: int, n_of: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Pick different numbers for each row: each new one skips those that were picked before it."""
    picked = np.zeros((n_rows, n_picked), dtype=np.int64)
    for turn in range(n_picked):
        number = rng.integers(n_of - turn, size=n_rows)
        for earlier in np.sort(picked[:, :turn], axis=1).T:
            number += number >= earlier
        picked[:, turn] = number
    return picked
