"""Design matrices: the compared levels as predictors of single rows."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from understudy.analyses.rows import compared_levels, factor_of, require_people, rows_of_levels, text, varies_within
from understudy.roles import Floats, Table
from understudy.schema import Hypothesis


@dataclass(frozen=True)
class LevelDesign:
    """The rows of the compared levels, and their predictors: an intercept, then each level but the last."""

    rows: Table
    levels: tuple[str, ...]
    predictors: Floats

    @property
    def contrasts(self) -> Floats:
        """Return one row of weights per predictor other than the intercept."""
        return np.eye(self.predictors.shape[1])[1:]


class HasLevels(Protocol):
    """The rows of a model and the levels it compares."""

    @property
    def rows(self) -> Table:
        """One row per answer."""

    @property
    def levels(self) -> tuple[str, ...]:
        """None without a factor."""


def level_design(table: Table, hypothesis: Hypothesis) -> LevelDesign:
    """Code the compared levels against the last one; without a factor there is only an intercept.

    With two levels, the second coefficient is the first level minus the second.
    """
    if hypothesis.factor is None:
        return LevelDesign(table, (), np.ones((len(table), 1)))
    if hypothesis.against is not None:
        raise ValueError("A model compares levels, or its intercept with a value; leave `against` out.")
    factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
    rows = rows_of_levels(table, factor, levels)
    row_levels = text(rows, factor).to_numpy()
    columns = [np.ones(len(rows)), *((row_levels == level).astype(np.float64) for level in levels[:-1])]
    return LevelDesign(rows, levels, np.column_stack(columns))


def refuse_lone_people(design: HasLevels, factor: str | None) -> None:
    """Reject a level with a single person if levels vary between people, because level and person are confounded."""
    if factor is None or varies_within(design.rows, factor):
        return
    n_people = text(design.rows, "participant").groupby(text(design.rows, factor)).nunique()
    require_people(factor, {level: int(n_people[level]) for level in design.levels}, least=2)


def values_by_level(design: HasLevels, values: Floats, factor: str | None) -> dict[str, Floats]:
    """Return the answers at each level; all together without a factor."""
    if factor is None:
        return {"all": values}
    row_levels = text(design.rows, factor).to_numpy()
    return {level: values[row_levels == level] for level in design.levels}
