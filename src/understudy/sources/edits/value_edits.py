"""Value edits: set few variables of a row to other values, with all sets of variables and all values equally likely.

Both functions draw from the same edits, but in another order: the items of a study depend on one, its explanations on
the other, and both must give the same result for the same seed in every version.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def edited_codes(rows: Floats, n_values: Sequence[int], counts: Ints, rng: np.random.Generator) -> Floats:
    """Draw one edit of each row, with so many variables changed; a variable with one value only is never edited."""
    sizes = np.asarray(n_values, dtype=np.int64)
    keys = np.where(sizes > 1, rng.random(rows.shape), np.inf)
    is_edited = lowest(keys, counts[:, None]) & (sizes > 1)
    moves = 1 + np.floor(rng.random(rows.shape) * np.maximum(sizes - 1, 1))
    return np.where(is_edited, (rows + moves) % sizes, rows)


def lowest(keys: Floats, counts: Ints | int) -> npt.NDArray[np.bool_]:
    """Tell which keys are among the lowest of their row; with random keys, this chooses without replacement."""
    return np.asarray(np.argsort(np.argsort(keys, axis=1), axis=1) < counts)


def edited_rows(row: Floats, n_values: Sequence[int], n_rows: int, max_edits: int, rng: np.random.Generator) -> Floats:
    """Draw many edits of one row, with one to max_edits variables changed; fast enough for every explained item."""
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
        # Values from the present one upward move up by one, so that the present value is never drawn.
        value += value >= row[column].astype(np.int64)
        rows[edited, column] = value
    return rows


def _different(n_rows: int, n_picked: int, n_of: int, rng: np.random.Generator) -> Ints:
    """Pick different numbers for each row: each new one skips those that were picked before it."""
    picked = np.zeros((n_rows, n_picked), dtype=np.int64)
    for turn in range(n_picked):
        number = rng.integers(n_of - turn, size=n_rows)
        for earlier in np.sort(picked[:, :turn], axis=1).T:
            number += number >= earlier
        picked[:, turn] = number
    return picked
