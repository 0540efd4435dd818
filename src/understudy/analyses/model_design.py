"""Design matrices of models with several factors: every factor is coded around its mean, so that effects are marginal.

With such codes the coefficient of a factor is its effect averaged over the levels of all others, and the mean at a level
is the estimated marginal mean that R's emmeans gives (Searle, Speed & Milliken 1980).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    level_numbers,
    levels_in,
    numbers,
    require_people,
    rows_of_levels,
    text,
    varies_within,
)
from understudy.deferred.scipy import special
from understudy.roles import Floats, Table
from understudy.schema import Hypothesis
from understudy.statistics.arrays import Ints
from understudy.statistics.mixed_categories import CategoryFit
from understudy.statistics.mixed_laplace import marginal_shares, row_variances
from understudy.statistics.mixed_terms import Effect, Group, terms_of

# Design matrices: the compared levels as predictors of single rows.


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


# Whether a logistic or ordinal mixed model says what the answers show: its shares over people and items next to theirs.
#
# With few answers for each person or item, the variances of slopes, and their correlations with intercepts, can trade off
# against the effect for an average person and item: the likelihood hardly changes while the effect takes any value. The shares
# over all people and items, which the answers show directly, give such a fit away.

FEWEST_ANSWERS = 6
"""For each effect of a person or item, on average: with 10 answers for an intercept and a slope, a maximal model found effects
that were not there in 10 to 34 % of simulated studies, and one with intercepts in 5 to 17 %."""
_FAR_SHARES = 1.0
"""How far shares over people and items may be from those of the answers, in log-odds."""
_FAR_EFFECT, _MOST_TIMES = 3.0, 2.5
"""How far the effect for an average person and item may be from that of the answers, unless it is at most so many times as
large: people and items that differ by an SD of 3.9 in log-odds explain that much."""
_MOST_SPREAD = 10.0
"""Of people or items, in log-odds: a larger one has run away, since even .999 and .001 are only 14 apart."""
_RARE = 0.02
"""Shares nearer to 0 or 1 than this count as this: their log-odds are decided by a few answers."""

FEW_ANSWERS_RULE = (
    f"Slopes are left out of people, or of items, that have fewer than {FEWEST_ANSWERS} answers on average for each of their "
    "effects (an intercept and a slope are two)."
)
SHARES_RULE = (
    f"Its shares over all people and items must also be within {_FAR_SHARES:g} of those of the answers in log-odds, and its "
    f"log odds ratios within {_FAR_EFFECT:g} of theirs, unless they are less than {_MOST_TIMES:g} times as large. "
    f"People, or items, differ by an SD of at most {_MOST_SPREAD:g} in log-odds."
)


@dataclass(frozen=True)
class ShownShares:
    """The share of yes at each level of what is tested; of ratings, the mean share of those above each threshold."""

    cells: Ints
    """The level of each row, from 0."""
    names: tuple[str, ...]
    shares: Floats
    counts: Ints

    def doubt(self, model: CategoryFit, groups: Sequence[Group], predictors: Floats) -> str:
        """Say how a model contradicts the answers; empty if it does not."""
        for group, term, covariance in zip(groups, terms_of(groups), model.covariances, strict=True):
            spread = float(np.sqrt(row_variances([term], [covariance]).mean()))
            if spread > _MOST_SPREAD:
                return f"the SD over {group.name} ran to {spread:.3g} in log-odds"
        predictor = predictors @ model.coefficients
        variances = row_variances(terms_of(groups), model.covariances)
        fitted = np.mean([marginal_shares(predictor - cut, variances) for cut in model.thresholds], axis=0)
        modelled = self._means(fitted)
        gaps = _logit(modelled) - _logit(self.shares)
        far = np.abs(gaps).max() if len(gaps) == 1 else np.ptp(gaps)
        if far > _FAR_SHARES:
            said, shown = (", ".join(f"{share:.2f}" for share in shares) for shares in (modelled, self.shares))
            return (
                f"its shares over people and items ({self._named(said)}) are {far:.2g} in log-odds from those of the "
                f"answers ({shown})"
            )
        # Half an answer more of each kind, so that a share of 0 or 1 has log-odds.
        raw = special.logit((self.shares * self.counts + 0.5) / (self.counts + 1))
        typical = self._means(predictor)
        for one, other in combinations(range(len(raw)), 2):
            effect, answered = typical[one] - typical[other], raw[one] - raw[other]
            is_explained = effect * answered > 0 and abs(effect) < _MOST_TIMES * abs(answered)
            if abs(effect - answered) > _FAR_EFFECT and not is_explained:
                return (
                    f"its log odds ratio of {self.names[one]} and {self.names[other]} is {effect:.2f}, and that of the "
                    f"answers {answered:.2f}"
                )
        return ""

    def _named(self, said: str) -> str:
        return said if len(self.names) == 1 else f"{', '.join(self.names)}: {said}"

    def _means(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.cells, weights=values) / self.counts, dtype=np.float64)


def shown_shares(categories: Ints, design: ModelDesign, hypothesis: Hypothesis) -> ShownShares:
    """Return the shares of the answers at each level, or pair of levels, of what a hypothesis tests."""
    tested = [name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None]
    columns = [text(design.rows, name) for name in tested]
    labels = (
        [", ".join(parts) for parts in zip(*columns, strict=True)] if tested else ["all answers"] * len(design.rows)
    )
    names, cells = np.unique(labels, return_inverse=True)
    counts = np.bincount(cells)
    shares = np.bincount(cells, weights=categories / categories.max()) / counts
    return ShownShares(cells.astype(np.int64), tuple(map(str, names)), shares, counts.astype(np.int64))


def _logit(shares: Floats) -> Floats:
    return np.asarray(special.logit(np.clip(shares, _RARE, 1 - _RARE)), dtype=np.float64)
