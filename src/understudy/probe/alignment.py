"""Align four result tables by object id, and report everything that does not fit."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.errors import ResultsError
from understudy.probe.correctness import Correctness, Values, equal
from understudy.probe.hypotheses import SET_NAMES, SETS
from understudy.probe.results import MISSING_VALUE, NOT_IN_ALL, FourResults, Scores, plural
from understudy.schema.probe import SetId

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
