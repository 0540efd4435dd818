"""Evaluate the rule language over whole columns, row by row or over groups of rows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Any, Literal, NamedTuple, TypeAlias

import pandas as pd

from understudy.errors import TableError
from understudy.schema import ROW_FUNCTIONS, functions_in, is_condition, names_in, rule_value, value_of

_How: TypeAlias = Literal[
    "count", "first", "last", "max", "mean", "median", "min", "nunique", "std", "sum",
]  # fmt: skip
_SUMMARIES: dict[str, _How] = {
    "first": "first", "last": "last", "max": "max", "mean": "mean", "median": "median", "min": "min",
    "nunique": "nunique", "sd": "std", "sum": "sum",
}  # fmt: skip


class Judged(NamedTuple):
    """For each row whether a rule holds, and whether a missing value leaves that open."""

    holds: "pd.Series[bool]"
    is_open: "pd.Series[bool]"


class Summarised(NamedTuple):
    """A column of summaries, and how many of the rows they run over have no value and were skipped."""

    values: pd.Series
    n_skipped: int
    n_rows: int


class _Rows(list[Any]):
    """The values of a column as rules see them, so that columns and single sessions share one arithmetic."""


def condition(frame: pd.DataFrame, rule: str, context: str) -> "pd.Series[bool]":
    """Return for each row whether a rule holds; `context` names the rule in errors."""
    return judged(frame, rule, context).holds


def judged(frame: pd.DataFrame, rule: str, context: str) -> Judged:
    """Return for each row whether a rule holds, and whether a missing value leaves it open; it does not hold then."""
    values = _computed(frame, rule, context, {})
    if not is_condition(rule) and not all(value is None or isinstance(value, bool) for value in values):
        raise TableError(f"{context}: {rule!r} is a value and not a condition. Write a comparison, such as 'x > 1'.")
    return Judged(
        pd.Series([bool(value) for value in values], index=frame.index, dtype=bool),
        pd.Series([value is None for value in values], index=frame.index, dtype=bool),
    )


def column_value(
    frame: pd.DataFrame, text: str, context: str, *, by: Sequence[str] = (), where: str | None = None
) -> pd.Series:
    """Compute a column from others; with `by`, summaries run over the rows of each group where `where` holds."""
    if by:
        return summarised(frame, text, context, by=by, where=where).values
    values = _computed(frame, text, context, {})
    if where is not None:
        chosen = condition(frame, where, context)
        values = _Rows(value if is_chosen else None for value, is_chosen in zip(values, chosen, strict=True))
    return _column(values, frame.index)


def summarised(
    frame: pd.DataFrame, text: str, context: str, *, by: Sequence[str], where: str | None = None
) -> Summarised:
    """Compute a column with `by`, and count the rows whose values are missing from its summaries."""
    chosen = pd.Series(True, index=frame.index) if where is None else condition(frame, where, context)
    groups = _Groups([frame[name] for name in by], chosen)
    values = _column(_computed(frame, text, context, groups.functions()), frame.index)
    return Summarised(values, max(groups.n_skipped, default=0), int(chosen.sum()))


def as_numbers(column: pd.Series) -> pd.Series:
    """Return truth values as 1 and 0, and any other column unchanged."""
    return column.astype(float) if pd.api.types.is_bool_dtype(column) else column


def _computed(frame: pd.DataFrame, text: str, context: str, summaries: Mapping[str, Callable[..., Any]]) -> _Rows:
    called = functions_in(text) - ROW_FUNCTIONS
    if called and not summaries:
        raise TableError(
            f"{context}: {text!r} summarises rows with {', '.join(sorted(called))}, but no groups are named. Add `by`."
        )
    names = names_in(text)
    absent = sorted(names - set(frame.columns))
    if absent:
        raise TableError(
            f"{context}: {', '.join(absent)} is not a column here, or differs between a participant's rows."
        )
    try:
        value = value_of(text, {name: _rows(frame[name]) for name in names}, summaries, _row_by_row)
        _kind_of(value if isinstance(value, _Rows) else [value])
    except TypeError:
        raise TableError(f"{context}: {text!r} cannot be computed. {_text_columns(frame, text)}") from None
    return value if isinstance(value, _Rows) else _Rows([value] * len(frame))


def _truth(value: Any) -> bool | None:
    return None if value is None else bool(value)


def _row_by_row(function: Callable[..., Any], *values: Any) -> Any:
    """Call a function with the values of each row; of values that are the same in all rows, once."""
    n_rows = next((len(value) for value in values if isinstance(value, _Rows)), None)
    if n_rows is None:
        return function(*values)
    return _Rows(map(function, *(value if isinstance(value, _Rows) else repeat(value, n_rows) for value in values)))


def _rows(column: pd.Series) -> _Rows:
    values, is_missing = column.tolist(), column.isna().tolist()
    return _Rows(None if gone else rule_value(value) for value, gone in zip(values, is_missing, strict=True))


def _kind_of(values: Iterable[Any]) -> type:
    """Return what a column holds: truth values, numbers or texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool} or kinds == {str}:
        return kinds.pop()
    if kinds <= {bool, float}:
        return float
    raise TypeError("a column holds numbers, texts or truth values, and not several of them")


def _column(values: _Rows, index: pd.Index) -> pd.Series:
    kind = _kind_of(values)
    if kind is bool:
        # Truth values of which some are missing need a type of their own: as numbers, count() would count falsehoods.
        return pd.Series(values, index=index, dtype="boolean" if None in values else "bool")
    return pd.Series(values, index=index, dtype="str" if kind is str else "float")


class _Groups:
    """Groups of rows, and the functions that summarise those of them that are chosen."""

    def __init__(self, keys: list[pd.Series], chosen: "pd.Series[bool]") -> None:
        self._keys = keys
        self._chosen = chosen
        self.n_skipped: list[int] = []
        """For each summary, how many of the chosen rows had no value."""

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions by the names that rules call them."""
        known: dict[str, Callable[..., Any]] = {name: partial(self._summary, how) for name, how in _SUMMARIES.items()}
        return known | {"count": self._count, "any": self._any, "all": self._all}

    def _summary(self, how: _How, value: Any) -> _Rows:
        column = self._chosen_rows(value)
        self.n_skipped.append(int((column.isna() & self._chosen).sum()))
        result = self._over_groups(column, how)
        if how != "sum":
            return _rows(result)
        # The sum of no rows is 0, but that of rows whose values are all missing is missing.
        has_rows, has_value = self._over_groups(self._chosen, "max"), self._over_groups(column.notna(), "max")
        return _rows(result.where(has_value | ~has_rows))

    def _count(self, value: Any = 1.0) -> _Rows:
        rows = self._of_rows(value)
        # Conditions are counted where they hold, values where they are known.
        if _kind_of(rows) is bool:
            return self._summary("sum", rows)
        return _rows(self._over_groups(self._chosen_rows(rows), "count"))

    def _any(self, value: Any) -> _Rows:
        n_true = self._summary("sum", _row_by_row(_truth, value))
        return _Rows(None if n is None else n > 0 for n in n_true)

    def _all(self, value: Any) -> _Rows:
        truths = _row_by_row(_truth, value)
        n_true, lowest = self._summary("sum", truths), self._summary("min", truths)
        return _Rows(None if n is None else bool(n and low) for n, low in zip(n_true, lowest, strict=True))

    def _of_rows(self, value: Any) -> _Rows:
        return value if isinstance(value, _Rows) else _Rows([value] * len(self._chosen))

    def _chosen_rows(self, value: Any) -> pd.Series:
        """Return a column in which the rows outside `where` are missing, so that every summary skips them."""
        return as_numbers(_column(self._of_rows(value), self._chosen.index)).where(self._chosen)

    def _over_groups(self, column: pd.Series, how: _How) -> pd.Series:
        # transform gives the value of a group to each of its rows.
        return column.groupby(self._keys, dropna=False, sort=False).transform(how)


def _text_columns(frame: pd.DataFrame, text: str) -> str:
    text_columns = [name for name in frame.columns if name in text and pd.api.types.is_string_dtype(frame[name])]
    if not text_columns:
        return "Check that each function gets one column and that conditions are joined by and/or."
    examples = "; ".join(f"{name!r} holds {next(iter(frame[name].dropna()), 'nothing')!r}" for name in text_columns)
    return f"It does arithmetic or an ordering on text: {examples}."
