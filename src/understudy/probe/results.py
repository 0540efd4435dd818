"""Results of a concept test: four checked tables over the same objects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.errors import ResultsError, UnderstudyError
from understudy.probe.hypotheses import SET_NAMES, SETS
from understudy.schema.probe import SetId

# Correctness of a label given the truth: equality, or a function of the error.

Values: TypeAlias = npt.NDArray[Any]
"""True values or labels, as numbers or text."""
Correctness: TypeAlias = Callable[[Values, Values], npt.NDArray[Any]]
"""Function from true values and labels to a number between 0 and 1, or a boolean, for each object."""


def equal(truth: Values, label: Values) -> npt.NDArray[Any]:
    """Score 1 where label and truth are the same, 0 elsewhere."""
    return np.asarray(truth == label, dtype=np.bool_)


def within(tolerance: float) -> Correctness:
    """Score 1 where a number is off by no more than the tolerance, 0 elsewhere."""
    _check(tolerance, "tolerance", at_least_zero=True)
    return lambda truth, label: np.asarray(_error(truth, label) <= tolerance, dtype=np.bool_)


def linear(scale: float) -> Correctness:
    """Score 1 for an exact number, falling in a straight line to 0 where it is off by the scale or more."""
    _check(scale, "scale")
    return lambda truth, label: np.maximum(0.0, 1.0 - _error(truth, label) / scale)


def exponential(scale: float) -> Correctness:
    """Score exp(-error / scale): 1 for an exact number, 0.37 where it is off by the scale."""
    _check(scale, "scale")
    return lambda truth, label: np.exp(-_error(truth, label) / scale)


DECLARED: dict[str, Callable[[float], Correctness]] = {"within": within, "linear": linear, "exponential": exponential}
"""Functions of an error that can be chosen on the command line, such as within:0.5."""


def correctness_from_text(text: str) -> Correctness:
    """Read `equal`, `within:0.5`, `linear:2` or `exponential:1`."""
    name, _, number = text.partition(":")
    if text == "equal":
        return equal
    try:
        return DECLARED[name](float(number))
    except (KeyError, ValueError):
        allowed = ", ".join(["equal", *(f"{name}:NUMBER" for name in DECLARED)])
        raise UnderstudyError(f"Correctness is {text!r}; it can be {allowed}.") from None


def _error(truth: Values, label: Values) -> npt.NDArray[np.float64]:
    if truth.dtype.kind not in "fiub" or label.dtype.kind not in "fiub":
        raise UnderstudyError("Truth and label are not all numbers, so there is no error to score; use equality.")
    return np.abs(np.asarray(truth, dtype=np.float64) - np.asarray(label, dtype=np.float64))


def _check(value: float, name: str, *, at_least_zero: bool = False) -> None:
    if not (np.isfinite(value) and (value > 0 or (at_least_zero and value == 0))):
        raise UnderstudyError(f"The {name} is {value}; it must be {'0 or more' if at_least_zero else 'more than 0'}.")


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


# Align four result tables by object id, and report everything that does not fit.

KNOWN = ("id", "truth", "label", "uncertainty", "confidence", "correctness")
"""Columns with a fixed meaning; any other column can be used to group objects."""
Incomplete = Literal["refuse", "drop"]
_SHARES = ("uncertainty", "confidence", "correctness")


class _Tables(NamedTuple):
    """Four tables whose rows follow one list of ids."""

    ids: Values
    frames: dict[SetId, pd.DataFrame]
    names: Mapping[SetId, str]
    n_dropped: dict[str, int]


def results_from_frames(
    frames: Mapping[SetId, pd.DataFrame],
    *,
    correctness: Correctness | None = None,
    incomplete: Incomplete = "refuse",
    names: Mapping[SetId, str] | None = None,
    name: str = "",
) -> FourResults:
    """Align four data frames by their column `id`.

    Columns: id, truth, label, and where there are any, uncertainty or confidence (0 to 1), correctness (0 to 1), and
    columns to group by. With `incomplete="drop"`, objects that are not in all four tables or lack a value are left
    out and counted; otherwise they are an error.
    """
    names = names or SET_NAMES
    faults = _form_faults(frames, names, has_function=correctness is not None)
    if faults:
        raise ResultsError(faults)
    tables = _complete(_aligned(frames, names, incomplete), incomplete)
    if tables.ids.size < 2:
        raise ResultsError(
            [
                f"{plural(tables.ids.size, 'object')} left for the test; at least 2 are needed, and many more to find a difference."
            ]
        )
    return _results(tables, correctness or equal, name)


def _form_faults(frames: Mapping[SetId, pd.DataFrame], names: Mapping[SetId, str], *, has_function: bool) -> list[str]:
    lacking = [names[set_id] for set_id in SETS if set_id not in frames]
    if lacking:
        return [f"Results of {', '.join(lacking)} are missing; all four are needed: {', '.join(names.values())}."]
    has_correctness = any("correctness" in frame for frame in frames.values())
    needed = ["id", "truth"] if has_correctness else ["id", "truth", "label"]
    faults = [
        f"{names[set_id]} has no column {column!r}; its columns are: {', '.join(map(str, frames[set_id].columns))}."
        for set_id in SETS
        for column in needed
        if column not in frames[set_id]
    ]
    faults += [fault for column in _SHARES for fault in _uneven(frames, names, column)]
    if any("uncertainty" in frame and "confidence" in frame for frame in frames.values()):
        faults.append("There are columns 'uncertainty' and 'confidence'; confidence is 1 - uncertainty, so give one.")
    if has_correctness and has_function:
        faults.append("The tables have a column 'correctness' and a function of correctness is given too; give one.")
    return faults


def _uneven(frames: Mapping[SetId, pd.DataFrame], names: Mapping[SetId, str], column: str) -> list[str]:
    lacking = [names[set_id] for set_id in SETS if column not in frames[set_id]]
    if 0 < len(lacking) < len(SETS):
        return [f"The column {column!r} is missing in {', '.join(lacking)}; give it in all four tables or in none."]
    return []


def _aligned(frames: Mapping[SetId, pd.DataFrame], names: Mapping[SetId, str], incomplete: Incomplete) -> _Tables:
    ids = {set_id: _ids_of(frames[set_id]["id"]) for set_id in SETS}
    faults = [fault for set_id in SETS for fault in _id_faults(ids[set_id], names[set_id])]
    if faults:
        raise ResultsError(faults)
    first = ids["PP"]
    # The usual case needs no re-indexing, which is slow for millions of rows.
    if all(np.array_equal(first, ids[set_id]) for set_id in SETS[1:]):
        return _Tables(first, {set_id: frames[set_id].reset_index(drop=True) for set_id in SETS}, names, _counts())
    everywhere = first
    for set_id in SETS[1:]:
        everywhere = everywhere[pd.Index(everywhere).isin(ids[set_id])]
    anywhere = pd.unique(np.concatenate(list(ids.values())))
    n_apart = anywhere.size - everywhere.size
    if n_apart and incomplete == "refuse":
        raise ResultsError([fault for set_id in SETS for fault in _absent(anywhere, ids, set_id, names)])
    ordered = {set_id: frames[set_id].iloc[pd.Index(ids[set_id]).get_indexer(pd.Index(everywhere))] for set_id in SETS}
    return _Tables(
        everywhere, {set_id: ordered[set_id].reset_index(drop=True) for set_id in SETS}, names, _counts(n_apart=n_apart)
    )


def _counts(*, n_apart: int = 0, n_missing: int = 0) -> dict[str, int]:
    return {NOT_IN_ALL: n_apart, MISSING_VALUE: n_missing}


def _ids_of(column: "pd.Series[Any]") -> Values:
    """Return ids as text, so that 7, 7.0 and "7" are the same id; a missing id stays None."""
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        # Pandas turns integer ids into floats when a table has gaps.
        column = column.astype("Int64")
    texts = column.astype("str").to_numpy(dtype=object, copy=True)
    texts[column.isna().to_numpy() | (texts == "")] = None
    return texts


def _id_faults(ids: Values, name: str) -> list[str]:
    is_blank = pd.isna(ids)
    faults = []
    if is_blank.any():
        faults.append(
            f"{name} has {plural(int(is_blank.sum()), 'row')} without an id, first in row {int(is_blank.argmax()) + 1}."
        )
    present = pd.Series(ids[~is_blank])
    repeated = present[present.duplicated()].unique()
    if len(repeated):
        faults.append(
            f"{name} has {plural(len(repeated), 'id')} more than once, such as {repeated[0]!r}; each object has one row."
        )
    return faults


def _absent(anywhere: Values, ids: Mapping[SetId, Values], set_id: SetId, names: Mapping[SetId, str]) -> list[str]:
    absent = anywhere[~pd.Index(anywhere).isin(ids[set_id])]
    if not absent.size:
        return []
    return [
        f"{names[set_id]} has {plural(ids[set_id].size, 'row')} and lacks {absent.size} of the {anywhere.size} ids of the four tables, "
        f"such as {absent[0]!r}. Add them, or leave those objects out with incomplete='drop' (--incomplete drop)."
    ]


def _complete(tables: _Tables, incomplete: Incomplete) -> _Tables:
    """Reject or drop objects that lack a value in a column with a fixed meaning."""
    lacks = np.zeros(tables.ids.size, dtype=bool)
    faults = []
    for set_id, frame in tables.frames.items():
        for column in [name for name in KNOWN if name in frame and name != "id"]:
            missing = frame[column].isna().to_numpy()
            if missing.any():
                lacks |= missing
                faults.append(
                    f"{tables.names[set_id]} has no {column} in {plural(int(missing.sum()), 'row')}, such as id "
                    f"{tables.ids[missing.argmax()]!r}. Fill them in, or leave those objects out with "
                    "incomplete='drop' (--incomplete drop)."
                )
    if not faults:
        return tables
    if incomplete == "refuse":
        raise ResultsError(faults)
    complete = {set_id: frame[~lacks].reset_index(drop=True) for set_id, frame in tables.frames.items()}
    counts = _counts(n_apart=tables.n_dropped[NOT_IN_ALL], n_missing=int(lacks.sum()))
    return tables._replace(ids=tables.ids[~lacks], frames=complete, n_dropped=counts)


def _results(tables: _Tables, correctness: Correctness, name: str) -> FourResults:
    truths = values_of([frame["truth"] for frame in tables.frames.values()])
    faults = [fault for number in (1, 2, 3) for fault in _unlike(tables, truths, number)]
    if faults:
        raise ResultsError(faults)
    if "correctness" in tables.frames["PP"]:
        scores = _shares(tables, "correctness")
    else:
        values = values_of([frame[column] for frame in tables.frames.values() for column in ("truth", "label")])
        scores = _checked(tables, [correctness(*values[2 * number : 2 * number + 2]) for number in range(4)])
    uncertainty = _shares(tables, "uncertainty") if "uncertainty" in tables.frames["PP"] else None
    if "confidence" in tables.frames["PP"]:
        uncertainty = 1.0 - _shares(tables, "confidence").astype(np.float64)
    return FourResults(
        ids=tables.ids, truth=truths[0], correctness=scores,
        uncertainty=None if uncertainty is None else uncertainty.astype(np.float64),
        columns=_further(tables), n_dropped=tables.n_dropped, name=name,
    )  # fmt: skip


def values_of(columns: "list[pd.Series[Any]]") -> list[Values]:
    """Return all columns as numbers if every value is numeric, and as text otherwise."""
    try:
        return [_numbers(column) for column in columns]
    except (ValueError, TypeError):
        return [column.astype("str").to_numpy(dtype=object) for column in columns]


def _numbers(column: "pd.Series[Any]") -> npt.NDArray[np.float64]:
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return pd.to_numeric(column if is_number else column.astype("str")).to_numpy(dtype=np.float64)


def _unlike(tables: _Tables, truths: list[Values], number: int) -> list[str]:
    differs = np.asarray(truths[0] != truths[number])
    if not differs.any():
        return []
    at, first, second = int(differs.argmax()), tables.names["PP"], tables.names[SETS[number]]
    return [
        f"The truth of {plural(int(differs.sum()), 'object')} differs between {first} and {second}, such as id {tables.ids[at]!r}: "
        f"{truths[0][at]!r} and {truths[number][at]!r}. Truth belongs to the object and must be the same."
    ]


def _shares(tables: _Tables, column: str) -> Scores:
    rows = []
    for set_id, frame in tables.frames.items():
        numbers = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=np.float64)
        if np.isnan(numbers).any():
            at = int(np.isnan(numbers).argmax())
            raise ResultsError(
                [f"{tables.names[set_id]} has {frame[column][at]!r} as {column}, which is not a number."]
            )
        rows.append(numbers)
    return _checked(tables, rows, column)


def _checked(tables: _Tables, rows: list[npt.NDArray[Any]], column: str = "correctness") -> Scores:
    """Return the rows after checking that they lie between 0 and 1; rows of only 0 and 1 become booleans."""
    faults = []
    for set_id, row in zip(SETS, rows, strict=True):
        if np.shape(row) != tables.ids.shape:
            faults.append(f"The function of {column} gives {np.size(row)} numbers for {tables.ids.size} objects.")
            continue
        outside = ~((row >= 0) & (row <= 1))
        if outside.any():
            at = int(outside.argmax())
            faults.append(
                f"{tables.names[set_id]} has {plural(int(outside.sum()), 'value')} of {column} not between 0 and 1, such as "
                f"{row[at]:g} for id {tables.ids[at]!r}."
            )
    if faults:
        raise ResultsError(faults)
    # Booleans take an eighth of the memory, and the tests can count them exactly.
    if all(row.dtype == np.bool_ or ((row == 0) | (row == 1)).all() for row in rows):
        return np.stack([row.astype(np.bool_) for row in rows])
    return np.stack([row.astype(np.float64) for row in rows])


def _further(tables: _Tables) -> dict[str, Values]:
    """Return the columns to group by: those that agree between tables, since others describe results and not objects."""
    columns: dict[str, Values] = {}
    for column in dict.fromkeys(name for frame in tables.frames.values() for name in frame if name not in KNOWN):
        texts = [
            frame[column].astype("str").fillna("missing").to_numpy(dtype=object)
            for frame in tables.frames.values()
            if column in frame
        ]
        if all(np.array_equal(texts[0], text) for text in texts[1:]):
            columns[str(column)] = texts[0]
    return columns
