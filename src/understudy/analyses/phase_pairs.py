"""Pairs: a person's answers to the same item in two phases, and answers without a partner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from understudy.analyses.results import plain_summary
from understudy.analyses.rows import (
    level_pair,
    n_participants,
    numbers,
    refuse_repeats,
    text,
)
from understudy.deferred.pandas import pd
from understudy.roles import Floats, Table
from understudy.schema import GroupSummary, Hypothesis


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
