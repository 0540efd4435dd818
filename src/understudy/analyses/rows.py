"""Rows: convert tables to the numbers that kernels need, and reject tables that do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.deferred.pandas import pd
from understudy.roles import Floats, Table
from understudy.schema import Hypothesis


@dataclass(frozen=True)
class Wide:
    """One row per participant (or item) and one column per level, complete rows only."""

    values: Floats
    units: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class LevelPair:
    """The rows of two levels that are compared, first minus second."""

    factor: str
    levels: tuple[str, str]
    rows: Table
    """Of these levels only."""

    def wide(self, *, by: str = "participant") -> Wide:
        """Return the two values of each participant (or item)."""
        return wide(self.rows, self.factor, self.levels, by=by)


def factor_of(hypothesis: Hypothesis) -> str:
    """Return the factor a hypothesis compares."""
    if hypothesis.factor is None:
        raise ValueError(f"Hypothesis {hypothesis.hypothesis_id!r} names no factor; this analysis compares its levels.")
    return hypothesis.factor


def levels_in(table: Table, factor: str) -> tuple[str, ...]:
    """Return the levels in a table: in their declared order if the column has one, otherwise sorted."""
    column = table[factor]
    if isinstance(column.dtype, pd.CategoricalDtype):
        present = set(column.dropna())
        return tuple(str(level) for level in column.dtype.categories if level in present)
    return tuple(sorted({str(level) for level in column.dropna()}, key=_natural))


def compared_levels(table: Table, hypothesis: Hypothesis) -> tuple[str, ...]:
    """Return the contrasted levels, or all levels in the table."""
    factor = factor_of(hypothesis)
    present = levels_in(table, factor)
    levels = hypothesis.contrast or present
    absent = [level for level in levels if level not in present]
    if absent:
        raise ValueError(f"No row has level {' or '.join(absent)} of {factor!r}.")
    if len(levels) < 2:
        raise ValueError(f"The rows have {len(levels)} level of {factor!r}; at least 2 are needed to compare.")
    return levels


def two_levels(table: Table, hypothesis: Hypothesis) -> tuple[str, str]:
    """Return the two levels a hypothesis compares, first minus second."""
    levels = compared_levels(table, hypothesis)
    if len(levels) != 2:
        raise ValueError(
            f"The rows have {len(levels)} levels of {hypothesis.factor!r}; this analysis compares two. "
            "Name them in `contrast`."
        )
    return levels[0], levels[1]


def level_pair(table: Table, hypothesis: Hypothesis) -> LevelPair:
    """Return the rows of the two levels a hypothesis compares."""
    factor, levels = factor_of(hypothesis), two_levels(table, hypothesis)
    return LevelPair(factor, levels, rows_of_levels(table, factor, levels))


def rows_of_levels(table: Table, factor: str, levels: Sequence[str]) -> Table:
    """Return the rows of these levels."""
    return table[text(table, factor).isin(list(levels))]


def text(table: Table, column: str) -> pd.Series[str]:
    """Return a column as text, whatever its type."""
    return table[column].astype(str)


def level_numbers(table: Table, column: str) -> npt.NDArray[np.intp]:
    """Return the number of each row's level, in the order of their names: numbers are grouped much faster than names."""
    return pd.factorize(text(table, column), sort=True)[0]


def numbers(table: Table, column: str = "value") -> Floats:
    """Return a column as numbers."""
    try:
        return table[column].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        shown = next((repr(value) for value in table[column] if not isinstance(value, int | float)), "text")
        raise ValueError(f"Column {column!r} holds {shown}; this analysis needs numbers.") from None


def yes_or_no(table: Table) -> Floats:
    """Return the value column as ones and zeros, and reject other numbers."""
    values = numbers(table)
    if not np.isin(values, (0, 1)).all():
        strange = values[~np.isin(values, (0, 1))][0]
        raise ValueError(f"The values contain {strange:g}; this analysis takes yes and no, coded 1 and 0.")
    return values


def n_participants(table: Table) -> int:
    """Count the people behind the rows."""
    return int(table["participant"].nunique())


def refuse_repeats(table: Table, cell: Sequence[str]) -> None:
    """Reject rows that repeat a combination of columns, which would count as further people or items."""
    n = int(table.duplicated(list(cell)).sum())
    if n:
        raise ValueError(
            f"{n} of {len(table)} rows repeat another row's {' and '.join(cell)}; this analysis takes one value each. "
            "Choose an analysis of single answers, give the outcome a summary (which takes its items as all there are), or narrow "
            "`where`."
        )


def numbers_of_people(table: Table) -> Floats:
    """Return the values of people who have one each; reject rows that repeat a person."""
    refuse_repeats(table, ["participant"])
    return numbers(table)


def varies_within(table: Table, factor: str) -> bool:
    """Return whether anyone has rows at more than one level."""
    return bool((text(table, factor).groupby(text(table, "participant")).nunique() > 1).any())


def groups_of(table: Table, hypothesis: Hypothesis, *, least: int = 1) -> dict[str, Floats]:
    """Return the values of each compared group, one per person; each group needs at least `least` people."""
    factor = factor_of(hypothesis)
    levels = compared_levels(table, hypothesis)
    rows = rows_of_levels(table, factor, levels)
    refuse_repeats(rows, ["participant"])
    groups = {level: numbers(rows[text(rows, factor) == level]) for level in levels}
    require_people(factor, {level: values.size for level, values in groups.items()}, least)
    return groups


def all_groups(table: Table, hypothesis: Hypothesis, *, least: int = 1) -> dict[str, Floats]:
    """Return the values of every group of the factor, those that the hypothesis does not compare included."""
    return groups_of(table, hypothesis.model_copy(update={"contrast": None}), least=least)


def require_people(factor: str, n_people: Mapping[str, int], least: int) -> None:
    """Reject levels with fewer people than a test needs."""
    small = [f"{level} has {n}" for level, n in n_people.items() if n < least]
    if small:
        raise ValueError(f"At least {least} people are needed at each level of {factor!r}; {', '.join(small)}.")


def wide(table: Table, factor: str, levels: Sequence[str], *, by: str = "participant") -> Wide:
    """Return one column per level for each participant (or item); units that lack a level are left out and noted.

    The table must contain rows of these levels only.
    """
    refuse_repeats(table, [by, factor])
    codes, units = pd.factorize(text(table, by), sort=True)
    matrix = np.full((len(units), len(levels)), np.nan)
    matrix[codes, pd.Index(levels).get_indexer(pd.Index(text(table, factor)))] = numbers(table)
    is_complete = ~np.isnan(matrix).any(axis=1)
    n_left = int((~is_complete).sum())
    if n_left == len(units):
        raise ValueError(f"No {by} has a value at every level of {factor!r}: {', '.join(levels)}.")
    if n_left == len(units) - 1:
        raise ValueError(f"One {by} has a value at every level of {factor!r}; at least 2 are needed.")
    note = f"Left out: {n_left} of {len(units)} {by}s without a value at every level of {factor!r}."
    complete_units = tuple(str(unit) for unit in units[is_complete])
    return Wide(matrix[is_complete], complete_units, (note,) if n_left else ())


def _natural(level: str) -> tuple[bool, float, str]:
    """Sort "10" after "9", and words after numbers."""
    try:
        return False, float(level), level
    except ValueError:
        return True, 0.0, level
