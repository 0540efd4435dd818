"""Blocks: answers as participants × items matrices, from which block bootstraps draw."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from understudy.analyses.results import difference_name, notes_of, plain_summary
from understudy.analyses.rows import (
    level_pair,
    n_participants,
    numbers,
    refuse_repeats,
    text,
    varies_within,
)
from understudy.deferred.pandas import pd
from understudy.roles import Floats, Table
from understudy.schema import GroupSummary, Hypothesis


@dataclass(frozen=True)
class Blocks:
    """The answers to resample: one matrix, or one for each of two groups of people; NaN without an answer."""

    name: str
    first: Floats
    second: Floats | None
    n_participants: int
    n_rows: int
    groups: tuple[GroupSummary, ...]
    has_items: bool
    """Whether columns are items; otherwise they only number a person's answers."""
    items_are_shared: bool = True
    null: float = 0.0
    is_tested: bool = True
    notes: tuple[str, ...] = ()


def blocks_of(table: Table, hypothesis: Hypothesis, *, needs_items: bool) -> Blocks:
    """Return the matrix of a mean, of differences within people, or the two matrices of two groups.

    If items are not needed, people who saw an item several times are analysed without items.
    """
    cell = ["participant", "item", *([hypothesis.factor] if hypothesis.factor else [])]
    if needs_items or "item" not in table.columns or not table.duplicated(cell).any():
        return _blocks(table, hypothesis)
    blocks = _blocks(table.drop(columns="item"), hypothesis)
    repeated = "Some people met an item several times, so there is no interval over people and items."
    return replace(blocks, notes=(*blocks.notes, repeated))


def _blocks(table: Table, hypothesis: Hypothesis) -> Blocks:
    if hypothesis.factor is None:
        return _mean_blocks(table, hypothesis)
    if hypothesis.against is not None:
        raise ValueError("A bootstrap compares two levels, or a mean with a value; leave `against` out.")
    pair = level_pair(table, hypothesis)
    build = _within_blocks if varies_within(pair.rows, pair.factor) else _between_blocks
    return build(pair.rows, pair.factor, pair.levels)


def _mean_blocks(table: Table, hypothesis: Hypothesis) -> Blocks:
    against = hypothesis.against
    has_items = "item" in table.columns
    return Blocks(
        name="mean" if against is None else f"mean (against {against:g})",
        first=_matrix(table).to_numpy(dtype=np.float64),
        second=None,
        n_participants=n_participants(table),
        n_rows=len(table),
        groups=(plain_summary("all", numbers(table)),),
        has_items=has_items,
        null=against or 0.0,
        is_tested=against is not None,
    )


def _between_blocks(table: Table, factor: str, levels: tuple[str, str]) -> Blocks:
    has_items = "item" in table.columns
    parts = [table[text(table, factor) == level] for level in levels]
    first, second = (_matrix(part) for part in parts)
    items = first.columns.union(second.columns)
    # Items are shared if the groups overlap at all; items of one group only are missing in the other.
    is_shared = has_items and len(items) < len(first.columns) + len(second.columns)
    if is_shared:
        first, second = first.reindex(columns=items), second.reindex(columns=items)
    return Blocks(
        name=difference_name(levels),
        first=first.to_numpy(dtype=np.float64),
        second=second.to_numpy(dtype=np.float64),
        n_participants=n_participants(table),
        n_rows=len(table),
        groups=_groups(levels, parts),
        has_items=has_items,
        items_are_shared=is_shared,
    )


def _within_blocks(table: Table, factor: str, levels: tuple[str, str]) -> Blocks:
    # Differences within an item remove its difficulty, so they are preferred to means per person.
    matched = _matched_differences(table, factor, levels) if "item" in table.columns else None
    is_matched = matched is not None and bool(matched.notna().to_numpy().any())
    differences = matched if matched is not None and is_matched else _person_differences(table, factor, levels)
    differences = differences.dropna(how="all").dropna(how="all", axis="columns")
    if differences.empty:
        raise ValueError(f"No participant has answers at both {levels[0]} and {levels[1]} of {factor!r}.")
    by = ["participant", "item"] if is_matched else ["participant"]
    keys = pd.MultiIndex.from_arrays([text(table, name) for name in by])
    used_keys = differences.stack().dropna().index if is_matched else pd.MultiIndex.from_arrays([differences.index])
    used = table[keys.isin(used_keys)]
    n_left = len(table) - len(used)
    lacking = f"Left out: {n_left} of {len(table)} rows whose {' and '.join(by)} lacks the other level."
    averaged = "" if is_matched else "Each participant's answers are averaged at both levels before the difference."
    return Blocks(
        name=difference_name(levels),
        first=differences.to_numpy(dtype=np.float64),
        second=None,
        n_participants=len(differences),
        n_rows=len(used),
        groups=_groups(levels, [used[text(used, factor) == level] for level in levels]),
        has_items=is_matched,
        notes=notes_of(lacking if n_left else "", averaged),
    )


def _matrix(table: Table) -> pd.DataFrame:
    """Return participants × items; without items, each person's answers in order."""
    people = text(table, "participant")
    if "item" in table.columns:
        refuse_repeats(table, ["participant", "item"])
        columns = text(table, "item")
    else:
        columns = people.groupby(people).cumcount().astype(str)
    long = pd.DataFrame({"participant": people, "column": columns, "value": numbers(table)})
    return long.pivot(index="participant", columns="column", values="value")


def _matched_differences(table: Table, factor: str, levels: tuple[str, str]) -> pd.DataFrame:
    refuse_repeats(table, ["participant", "item", factor])
    first, second = (_matrix(table[text(table, factor) == level]) for level in levels)
    return first - second


def _person_differences(table: Table, factor: str, levels: tuple[str, str]) -> pd.DataFrame:
    first, second = (
        pd.Series(numbers(part)).groupby(text(part, "participant").to_numpy()).mean()
        for part in (table[text(table, factor) == level] for level in levels)
    )
    return pd.DataFrame({"difference": first - second})


def _groups(levels: tuple[str, str], parts: list[Table]) -> tuple[GroupSummary, ...]:
    return tuple(plain_summary(level, numbers(part)) for level, part in zip(levels, parts, strict=True))
