"""Results of a concept test: four checked tables over the same objects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from understudy.errors import ResultsError
from understudy.probe.correctness import Values

Scores = npt.NDArray[np.float64 | np.bool_]
NOT_IN_ALL, MISSING_VALUE = "not_in_all_four", "missing_value"


@dataclass(frozen=True)
class FourResults:
    """Correctness and uncertainty of both models on both data sets, one column for each object.

    Rows are PP, PD, MP, MD. Boolean correctness stays boolean, which takes an eighth of the memory.
    """

    ids: Values
    truth: Values
    correctness: Scores
    uncertainty: npt.NDArray[np.float64] | None = None
    columns: Mapping[str, Values] = field(default_factory=dict)
    """Further columns that objects can be grouped by."""
    n_dropped: Mapping[str, int] = field(default_factory=lambda: {NOT_IN_ALL: 0, MISSING_VALUE: 0})
    name: str = ""

    @property
    def n(self) -> int:
        """The number of objects."""
        return int(self.correctness.shape[1])

    def scores(self, kind: Literal["certain", "as_printed", "correctness"] = "certain") -> Scores:
        """Return four rows of scores; without uncertainties the correctness itself, not a copy."""
        if kind == "correctness" or (kind == "certain" and self.uncertainty is None):
            return self.correctness
        if self.uncertainty is None:
            return np.zeros_like(self.correctness)
        weight = self.uncertainty if kind == "as_printed" else 1.0 - self.uncertainty
        # The product is computed in place, which must not change the stored uncertainties.
        weight = weight.copy() if weight is self.uncertainty else weight
        weight *= self.correctness
        return weight

    def part(self, where: npt.NDArray[np.bool_]) -> "FourResults":
        """Return the results of the selected objects."""
        return FourResults(
            ids=self.ids[where],
            truth=self.truth[where],
            correctness=self.correctness[:, where],
            uncertainty=None if self.uncertainty is None else self.uncertainty[:, where],
            columns={name: values[where] for name, values in self.columns.items()},
            name=self.name,
        )

    def grouping(self, column: str) -> Values:
        """Return the values of a column by which objects can be grouped."""
        if column == "truth":
            is_whole = self.truth.dtype.kind == "f" and bool((self.truth % 1 == 0).all())
            return self.truth.astype(np.int64) if is_whole else self.truth
        if column not in self.columns:
            allowed = ", ".join(["truth", *self.columns])
            raise ResultsError(
                [
                    f"No column {column!r} says the same of each object in all four tables. To group by, there are: {allowed}."
                ]
            )
        return self.columns[column]


def plural(n: int, word: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def align_runs(runs: Sequence[FourResults]) -> tuple[FourResults, ...]:
    """Return repeated runs with the objects in the order of the first run; all runs must have the same objects."""
    first, *rest = runs
    faults = [fault for run in rest for fault in _other_objects(first, run)]
    if faults:
        raise ResultsError(faults)
    ordered = tuple(_in_order(run, first) for run in rest)
    faults = [fault for run in ordered for fault in _other_truth(first, run)]
    if faults:
        raise ResultsError(faults)
    return (first, *ordered)


def _other_objects(first: FourResults, run: FourResults) -> list[str]:
    apart = set(first.ids) ^ set(run.ids)
    if apart:
        return [
            f"Runs {first.name!r} and {run.name!r} differ in {plural(len(apart), 'object')}, such as {min(apart)!r}; "
            "every run must be tested on the same objects."
        ]
    return []


def _other_truth(first: FourResults, run: FourResults) -> list[str]:
    differs = np.asarray(first.truth != run.truth)
    if differs.any():
        return [
            f"The truth of {plural(int(differs.sum()), 'object')} differs between runs {first.name!r} and {run.name!r}, such as id "
            f"{first.ids[differs.argmax()]!r}. Truth belongs to the object and must be the same."
        ]
    return []


def _in_order(run: FourResults, first: FourResults) -> FourResults:
    if np.array_equal(run.ids, first.ids):
        return run
    row_of: dict[Any, int] = {object_id: number for number, object_id in enumerate(run.ids)}
    order = np.array([row_of[object_id] for object_id in first.ids])
    return FourResults(
        run.ids[order], run.truth[order], run.correctness[:, order],
        None if run.uncertainty is None else run.uncertainty[:, order],
        {name: values[order] for name, values in run.columns.items()}, run.n_dropped, run.name,
    )  # fmt: skip
