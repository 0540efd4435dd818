"""Columns of a grid by what a model says: five groups of logits, from certain of one class to certain of the other.

As in Sixt, Schuessler et al. (2022). The paper says that each column has a fifth of the pictures; the code of its study
puts borders at equal distances on both sides of 0.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from understudy.errors import MaterialsError
from understudy.statistics.arrays import Floats, Ints

N_COLUMNS = 5
Binning: TypeAlias = Literal["quantile", "symmetric"]


def certainty_headings(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the headings of the five columns, for the two labels of a model."""
    first, second = labels
    return (f"Very certain {first}", f"Certain {first}", "Unsure", f"Certain {second}", f"Very certain {second}")


def columns_of_logits(logits: Floats, binning: Binning) -> Ints:
    """Return the column, from 0 to 4, that each logit belongs to."""
    if binning == "quantile":
        # Ranks instead of edges, because many equal logits would leave columns empty.
        ranks = np.empty(len(logits), dtype=np.int64)
        ranks[np.argsort(logits, kind="stable")] = np.arange(len(logits))
        return ranks * N_COLUMNS // max(len(logits), 1)
    near, far = np.percentile(np.abs(logits), [20, 60])
    centres = np.array([-far, -near, 0.0, near, far])
    return np.searchsorted((centres[1:] + centres[:-1]) / 2, logits, side="right").astype(np.int64)


def rows_without_reuse(columns: Ints, n_rows: int, rng: np.random.Generator) -> Ints:
    """Return places (row, column): in every row a random picture of each column, none of them twice."""
    drawn = []
    for column in range(N_COLUMNS):
        places = np.flatnonzero(columns == column)
        if len(places) < n_rows:
            raise MaterialsError(
                f"Column {column + 1} of the grid has {len(places)} pictures for {n_rows} rows. Give more pictures, or "
                "fewer rows, or use the binning 'quantile'."
            )
        drawn.append(rng.choice(places, size=n_rows, replace=False))
    return np.stack(drawn, axis=1).astype(np.int64)


def start_candidates(logits: Floats, rng: np.random.Generator) -> tuple[Ints, ...]:
    """Return the places of each fifth of the logits in random order: rows start from the fifths in turn."""
    columns = columns_of_logits(logits, "quantile")
    return tuple(rng.permutation(np.flatnonzero(columns == column)) for column in range(N_COLUMNS))


def even_starts(logits: Floats, n_rows: int, rng: np.random.Generator) -> Ints:
    """Return places of starting pictures, drawn evenly from the fifths of the logits."""
    if len(logits) < max(n_rows, N_COLUMNS):
        raise MaterialsError(f"{len(logits)} pictures are too few to start {n_rows} rows from. Give more.")
    fifths = start_candidates(logits, rng)
    return np.array([fifths[row % N_COLUMNS][row // N_COLUMNS] for row in range(n_rows)], dtype=np.int64)


def target_logits(logits: Floats, *, percentile: float) -> tuple[float, ...]:
    """Return the five targets of a row: -P, -p50, 0, p50, P, where p50 and P are percentiles of |logit|."""
    median, far = (float(value) for value in np.percentile(np.abs(logits), [50, percentile]))
    return (-far, -median, 0.0, median, far)
