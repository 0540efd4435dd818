"""Rows: convert tables to the numbers that statistics need, and reject tables that do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.analyses.results import columns_by_name, plain_summary, summaries_of
from understudy.deferred.pandas import pd
from understudy.roles import Floats, Table
from understudy.schema import GroupSummary, Hypothesis


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


# Pairs: a person's answers to the same item in two phases, and answers without a partner.


@dataclass(frozen=True)
class PhasePairs:
    """One row per person and item answered in both phases."""

    rows: pd.DataFrame
    """Columns participant, item, group, and the two phases as first and second."""
    levels: tuple[str, str]
    """The phases; Change is the first minus the second."""
    n_alone: tuple[int, int]
    """Answers in each phase without one in the other, which are left out."""

    @property
    def n_people(self) -> int:
        """Return the number of people with a pair."""
        return n_participants(self.rows)

    @property
    def change(self) -> Floats:
        """Return first minus second, pair by pair."""
        return numbers(self.rows, "first") - numbers(self.rows, "second")

    @property
    def groups(self) -> tuple[GroupSummary, ...]:
        """Return the n and mean over pairs of both phases."""
        values = (numbers(self.rows, "first"), numbers(self.rows, "second"))
        return tuple(plain_summary(level, answers) for level, answers in zip(self.levels, values, strict=True))

    @property
    def note(self) -> str:
        """Return a note on the answers left out in each phase."""
        return self.note_in(None)

    def note_in(self, condition: str | None) -> str:
        """Return a note on the answers of a condition left out in each phase."""
        if not any(self.n_alone):
            return ""
        where = f" of {condition}" if condition else ""
        parts = [f"{n} in {level}" for n, level in zip(self.n_alone, self.levels, strict=True)]
        return f"Left out: answers{where} without a partner in the other phase, {' and '.join(parts)}."

    def of(self, group: str) -> PhasePairs:
        """Return the pairs of one group; unpaired answers are not counted again."""
        return PhasePairs(self.rows[self.rows["group"] == group], self.levels, (0, 0))

    def matrix(self, column: str = "change", items: pd.Index | None = None) -> Floats:
        """Return people × items of change, first or second; NaN without a pair."""
        values = self.change if column == "change" else numbers(self.rows, column)
        long = self.rows[["participant", "item"]].assign(value=values)
        matrix = long.pivot(index="participant", columns="item", values="value")
        return (matrix if items is None else matrix.reindex(columns=items)).to_numpy(dtype=np.float64)


def phase_pairs(table: Table, hypothesis: Hypothesis, between: str | None = None) -> PhasePairs:
    """Pair the two compared phases by person and item, and by group if a person can be in several."""
    pair = level_pair(table, hypothesis)
    factor, levels, rows = pair.factor, pair.levels, pair.rows
    if hypothesis.against is not None:
        raise ValueError("Change compares two phases; leave `against` out.")
    long = pd.DataFrame(
        {
            "participant": text(rows, "participant"),
            "item": text(rows, "item"),
            "group": text(rows, between) if between else "",
            "phase": text(rows, factor),
            "value": numbers(rows),
        }
    )
    refuse_repeats(long.rename(columns={"phase": factor}), ["participant", "item", "group", factor])
    keys = ["participant", "item", "group"]
    # One row per pair, with NaN in a phase that the person did not answer.
    wide = long.pivot(index=keys, columns="phase", values="value").reset_index()
    wide = wide.rename(columns={levels[0]: "first", levels[1]: "second"}).sort_values(keys)
    is_paired = wide["first"].notna() & wide["second"].notna()
    if not is_paired.any():
        raise ValueError(f"Nobody answered the same item both in {levels[0]} and in {levels[1]} of {factor!r}.")
    alone = wide[~is_paired]
    n_alone = int(alone["first"].notna().sum()), int(alone["second"].notna().sum())
    return PhasePairs(wide[is_paired].reset_index(drop=True), levels, n_alone)


# Two samples: the values of two levels, of the same people in pairs or of different people.


@dataclass(frozen=True)
class TwoSamples:
    """The values of both levels; pairs have them in the same order of people."""

    levels: tuple[str, str]
    first: Floats
    second: Floats
    is_paired: bool
    notes: tuple[str, ...] = ()

    @property
    def n_people(self) -> int:
        """Count the people."""
        return self.first.size if self.is_paired else self.first.size + self.second.size

    @property
    def n_rows(self) -> int:
        """Count the values."""
        return self.first.size + self.second.size

    def summaries(self, level: float) -> tuple[GroupSummary, ...]:
        """Describe both levels."""
        return summaries_of({self.levels[0]: self.first, self.levels[1]: self.second}, level)


def two_samples(table: Table, hypothesis: Hypothesis, *, least: int = 1) -> TwoSamples:
    """Return pairs where the factor varies within people, and two groups of at least `least` people elsewhere."""
    pair = level_pair(table, hypothesis)
    if varies_within(pair.rows, pair.factor):
        pairs = pair.wide()
        columns = columns_by_name(pair.levels, pairs.values)
        return TwoSamples(
            pair.levels, columns[pair.levels[0]], columns[pair.levels[1]], is_paired=True, notes=pairs.notes
        )
    groups = groups_of(table, hypothesis, least=least)
    return TwoSamples(pair.levels, groups[pair.levels[0]], groups[pair.levels[1]], is_paired=False)
