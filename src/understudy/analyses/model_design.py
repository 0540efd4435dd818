"""Design matrices of models with several factors: every factor is coded around its mean, so that effects are marginal.

With such codes the coefficient of a factor is its effect averaged over the levels of all others, and the mean at a level
is the estimated marginal mean that R's emmeans gives (Searle, Speed & Milliken 1980).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from understudy.analyses.kernels.mixed_structure import Effect
from understudy.analyses.rows import compared_levels, factor_of, level_numbers, levels_in, numbers, rows_of_levels, text
from understudy.roles import Floats, Table
from understudy.schema import Hypothesis


@dataclass(frozen=True)
class CodedFactor:
    """A factor of the model: its levels, and one row of codes for each."""

    name: str
    levels: tuple[str, ...]
    codes: Floats

    def columns(self, rows: Table) -> Floats:
        """Return the codes of every row."""
        numbers_by_level = {level: number for number, level in enumerate(self.levels)}
        found: Floats = self.codes[[numbers_by_level[level] for level in text(rows, self.name)]]
        return found

    def difference(self, first: str, second: str) -> Floats:
        """Return the weights of the first level minus the second."""
        weights: Floats = self.codes[self.levels.index(first)] - self.codes[self.levels.index(second)]
        return weights


@dataclass(frozen=True)
class Block:
    """The columns of one effect: a factor, an interaction, or a covariate."""

    name: str
    factors: tuple[str, ...]
    columns: Floats


@dataclass(frozen=True)
class ModelDesign:
    """The rows of a model, its effects in order, and its predictors: an intercept, then the columns of every effect."""

    rows: Table
    levels: tuple[str, ...]
    """The levels of the hypothesis' factor; none without one."""
    factors: tuple[CodedFactor, ...]
    blocks: tuple[Block, ...]

    @property
    def predictors(self) -> Floats:
        """Return the design matrix."""
        return np.column_stack([np.ones(len(self.rows)), *(block.columns for block in self.blocks)])

    def weights(self, name: str, weights: Floats) -> Floats:
        """Return contrasts, one per row, that weigh the columns of one effect."""
        rows = np.atleast_2d(weights)
        parts = [np.zeros((len(rows), 1))]
        parts += [
            rows if block.name == name else np.zeros((len(rows), block.columns.shape[1])) for block in self.blocks
        ]
        return np.hstack(parts)

    def joint(self, name: str) -> Floats:
        """Return the contrasts that test an effect as a whole."""
        return self.weights(name, np.eye(self.block(name).columns.shape[1]))

    def block(self, name: str) -> Block:
        """Return an effect by its name."""
        return next(block for block in self.blocks if block.name == name)

    def factor(self, name: str) -> CodedFactor:
        """Return a factor by its name."""
        return next(factor for factor in self.factors if factor.name == name)

    def marginal_mean(self, name: str, level: str) -> Floats:
        """Return the weights of the mean at a level, averaged over other factors and at the mean of covariates."""
        factor = self.factor(name)
        weights: Floats = self.weights(name, factor.codes[factor.levels.index(level)])[0]
        weights[0] = 1.0
        return weights

    def random_effect(self, name: str) -> Effect:
        """Return an effect as something that may vary over people or items."""
        block = self.block(name)
        return Effect(name, block.columns, tuple(level_numbers(self.rows, factor) for factor in block.factors))


def centred_codes(n_levels: int) -> Floats:
    """Return one row of codes per level, orthogonal and with mean 0; two levels have 0.5 and -0.5.

    >>> centred_codes(2).tolist()
    [[0.5], [-0.5]]
    """
    codes = np.zeros((n_levels, n_levels - 1))
    for column in range(n_levels - 1):
        # Helmert: a level against the mean of those after it, scaled to the length of (0.5, -0.5).
        rest = n_levels - column - 1
        codes[column, column], codes[column + 1 :, column] = 1.0, -1.0 / rest
        codes[:, column] /= np.sqrt(2) * np.linalg.norm(codes[:, column])
    return codes


def interaction_name(first: str, second: str) -> str:
    """Return the name of the interaction of two factors.

    >>> interaction_name("help", "phase")
    'help:phase'
    """
    return f"{first}:{second}"


def model_design(
    table: Table,
    hypothesis: Hypothesis,
    *,
    adjusts_for: Sequence[str] = (),
    covariates: Sequence[str] = (),
    has_all_levels: bool = False,
) -> ModelDesign:
    """Code the factor of a hypothesis, what it is crossed with, further factors and covariates.

    With `has_all_levels`, levels outside the contrast are part of the model too.
    """
    if hypothesis.factor is not None and hypothesis.against is not None:
        raise ValueError("A model compares levels, or its intercept with a value; leave `against` out.")
    rows: Table = table
    levels: tuple[str, ...] = ()
    if hypothesis.factor is not None:
        levels = compared_levels(table, hypothesis)
        if has_all_levels:
            # The contrasted levels come first, in their order.
            levels = (*levels, *(level for level in levels_in(table, hypothesis.factor) if level not in levels))
        rows = rows_of_levels(table, factor_of(hypothesis), levels)
    names = [name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None]
    factors = tuple(_coded(rows, name, levels if name == hypothesis.factor else ()) for name in (*names, *adjusts_for))
    blocks = [Block(factor.name, (factor.name,), factor.columns(rows)) for factor in factors]
    if len(names) == 2:
        first, second = blocks[0].columns, blocks[1].columns
        products = (first[:, :, None] * second[:, None, :]).reshape(len(rows), -1)
        blocks.insert(2, Block(interaction_name(*names), tuple(names), products))
    for name in covariates:
        values = numbers(rows, name)
        if np.ptp(values) == 0:
            raise ValueError(f"The covariate {name!r} does not vary, so nothing can be adjusted for it.")
        blocks.append(Block(name, (name,), (values - values.mean())[:, None]))
    return ModelDesign(rows, levels, factors, tuple(blocks))


def _coded(rows: Table, name: str, levels: tuple[str, ...]) -> CodedFactor:
    if name not in rows.columns:
        raise ValueError(f"The rows have no column {name!r}, which the model needs.")
    levels = levels or levels_in(rows, name)
    if len(levels) < 2:
        raise ValueError(f"The rows have {len(levels)} level of {name!r}; a model needs at least 2.")
    return CodedFactor(name, levels, centred_codes(len(levels)))
