"""Logistic mixed model: effects on yes-or-no answers, with random intercepts and slopes of people and items."""

from typing import ClassVar

import numpy as np

from understudy.analyses.category_model import CategoryModel
from understudy.analyses.kernels.vectors import Ints
from understudy.analyses.rows import yes_or_no
from understudy.analyses.scales import YES_NO
from understudy.registry import register
from understudy.roles import Fit, Table


@register("analyses", "logistic_mixed")
class LogisticMixed(CategoryModel):
    """Compares levels, or a share with a value, in a logistic model with crossed random effects of people and items."""

    estimand: ClassVar[str] = (
        "the odds ratio of yes for one person and one item (conditional on them); of a single share, the share over people and "
        "items like these (marginal)"
    )

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials, with their items if items are random."""
        return self.fit_for(YES_NO)

    def categories(self, rows: Table) -> Ints:
        """Return yes as 1 and no as 0."""
        return yes_or_no(rows).astype(np.int64)
