"""Evaluate the rule language over whole columns, row by row or over groups of rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from understudy.errors import TableError
from understudy.estimate.row_functions import ROW_FUNCTIONS
from understudy.schema import functions_in, names_in, names_taken_as_known, value_of

_How: TypeAlias = Literal[
    "count", "first", "last", "max", "mean", "median", "min", "nunique", "std", "sum",
]  # fmt: skip
_SUMMARIES: dict[str, _How] = {
    "count": "count", "first": "first", "last": "last", "max": "max", "mean": "mean", "median": "median",
    "min": "min", "nunique": "nunique", "sd": "std", "sum": "sum",
}  # fmt: skip


class _Column(pd.Series):
    """A column in which `!=` is false for missing values, as in rules over one session."""

    @property
    def _constructor(self) -> Callable[..., "_Column"]:
        return _Column

    def __ne__(self, other: object) -> Any:
        known = self.notna() & (other.notna() if isinstance(other, pd.Series) else True)
        # pandas counts NaN as different from everything; rules do not.
        return super().__ne__(other) & known


def condition(frame: pd.DataFrame, rule: str, context: str) -> pd.Series:
    """Return for each row whether a rule holds; `context` names the rule in errors."""
    result = column_value(frame, rule, context)
    if not pd.api.types.is_bool_dtype(result):
        raise TableError(f"{context}: {rule!r} is a value and not a condition. Write a comparison, such as 'x > 1'.")
    return result


def column_value(
    frame: pd.DataFrame, text: str, context: str, *, by: Sequence[str] = (), where: str | None = None
) -> pd.Series:
    """Compute a column from others; with `by`, summaries run over the rows of each group where `where` holds."""
    chosen = pd.Series(True, index=frame.index) if where is None else condition(frame, where, context)
    functions: dict[str, Callable[..., Any]] = dict(_ROW_BY_ROW)
    if by:
        functions |= _summaries([frame[name] for name in by], chosen)
    elif not functions_in(text) <= ROW_FUNCTIONS:
        called = ", ".join(sorted(functions_in(text) - ROW_FUNCTIONS))
        raise TableError(f"{context}: {text!r} summarises rows with {called}, but no groups are named. Add `by`.")
    absent = sorted(names_in(text) - set(frame.columns))
    if absent:
        raise TableError(
            f"{context}: {', '.join(absent)} is not a column here, or differs between a participant's rows."
        )
    try:
        value = value_of(text, _Names(frame), functions)
    except TypeError:
        raise TableError(f"{context}: {text!r} cannot be computed. {_text_columns(frame, text)}") from None
    column = pd.Series(value, index=frame.index) if np.isscalar(value) or value is None else pd.Series(value)
    if where is not None and not by:
        column = as_numbers(column).where(chosen)
    return _finite(column)


def measured_value(frame: pd.DataFrame, text: str, context: str) -> pd.Series:
    """Compute a measure; a condition over a missing value is missing, unless it asks for that with `missing`."""
    value = column_value(frame, text, context)
    if not pd.api.types.is_bool_dtype(value):
        return value
    return as_numbers(value).where(frame[sorted(names_taken_as_known(text))].notna().all(axis=1))


def as_numbers(column: pd.Series) -> pd.Series:
    """Return truth values as 1 and 0, and any other column unchanged."""
    return column.astype(float) if pd.api.types.is_bool_dtype(column) else column


class _Names(Mapping[str, Any]):
    """Columns by name, wrapped on access."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Any:
        return _Column(self._frame[name])

    def __iter__(self) -> Any:
        return iter(self._frame.columns)

    def __len__(self) -> int:
        return len(self._frame.columns)


_ROW_BY_ROW: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "missing": lambda column: column.isna(),
    "round": lambda column, digits=0: column.round(digits),
}


def _summaries(keys: list[pd.Series], chosen: pd.Series) -> dict[str, Callable[..., Any]]:
    def summary(how: _How) -> Callable[[Any], Any]:
        def over_groups(column: Any) -> Any:
            # Rows outside `where` become missing, which every summary skips; transform keeps one value per row.
            values = as_numbers(_broadcast(column, chosen)).where(chosen)
            return _Column(values.groupby(keys, dropna=False, sort=False).transform(how))

        return over_groups

    def count(column: Any = 1) -> Any:
        values = _broadcast(column, chosen)
        is_flag = pd.api.types.is_bool_dtype(values)
        return summary("sum")(values) if is_flag else summary("count")(values)

    def is_any(column: Any) -> Any:
        return summary("max")(column) == 1

    def is_every(column: Any) -> Any:
        return summary("min")(column) == 1

    return {name: summary(how) for name, how in _SUMMARIES.items()} | {"count": count, "any": is_any, "all": is_every}


def _broadcast(value: Any, like: pd.Series) -> pd.Series:
    return value if isinstance(value, pd.Series) else pd.Series(value, index=like.index)


def _finite(column: pd.Series) -> pd.Series:
    # A division by zero gives infinity, which is missing rather than a value.
    return column.where(np.isfinite(column)) if pd.api.types.is_float_dtype(column) else column


def _text_columns(frame: pd.DataFrame, text: str) -> str:
    text_columns = [name for name in frame.columns if name in text and pd.api.types.is_string_dtype(frame[name])]
    if not text_columns:
        return "Check that each function gets one column and that conditions are joined by and/or."
    examples = "; ".join(f"{name!r} holds {next(iter(frame[name].dropna()), 'nothing')!r}" for name in text_columns)
    return f"It does arithmetic or an ordering on text: {examples}."
