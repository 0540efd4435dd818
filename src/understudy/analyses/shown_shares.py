"""Whether a logistic or ordinal mixed model says what the answers show: its shares over people and items next to theirs.

With few answers for each person or item, the variances of slopes, and their correlations with intercepts, can trade off
against the effect for an average person and item: the likelihood hardly changes while the effect takes any value. The shares
over all people and items, which the answers show directly, give such a fit away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from understudy.analyses.kernels.mixed_categories import CategoryFit
from understudy.analyses.kernels.mixed_marginal import marginal_shares, row_variances
from understudy.analyses.kernels.mixed_structure import Group, terms_of
from understudy.analyses.kernels.vectors import Ints
from understudy.analyses.model_design import ModelDesign
from understudy.analyses.rows import text
from understudy.deferred.scipy import special
from understudy.roles import Floats
from understudy.schema import Hypothesis

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
