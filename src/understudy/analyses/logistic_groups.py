"""Logistic groups: shares of yes in several groups of people, shrunk towards each other by a mixed model."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.analyses.kernels.glmm import LogisticMixedFit, fit_glmm
from understudy.analyses.kernels.logistic import fit_logistic
from understudy.analyses.results import finite, finite_details, notes_of, refuse_direction
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    level_numbers,
    n_participants,
    rows_of_levels,
    text,
    yes_or_no,
)
from understudy.analyses.scales import EITHER_WAY, YES_NO
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import special, stats
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record

_ALIKE = "The estimated variance between groups is zero: the model sees no difference between them."

_ROUNDING = 1e-9


RandomIntercepts: TypeAlias = tuple[Literal["participant", "item"], ...]


@register("analyses", "logistic_groups")
class LogisticGroups(Record):
    """Fits yes-or-no answers with a random intercept for each level, as for the first phase of a simulatability test."""

    estimand: ClassVar[str] = "the log-odds of yes at each level"
    random: RandomIntercepts = ()
    """What has random intercepts besides the levels; without any, a person's answers count as independent."""
    confidence: float = 0.95

    @property
    def fit(self) -> Fit:
        """Return the fit: single trials, with their items if items are random."""
        if "item" in self.random:
            return Fit(
                YES_NO,
                unit="trial",
                factor="between",
                n_levels="many",
                needs=frozenset({"item"}),
                directions=EITHER_WAY,
            )
        return Fit(YES_NO, unit="either", factor="between", n_levels="many", directions=EITHER_WAY)

    @property
    def samples_items(self) -> bool:
        """Tell whether items have random intercepts."""
        return "item" in self.random

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return the SD of levels in log-odds with its likelihood-ratio test, and each level's fitted share."""
        refuse_direction(hypothesis.direction, "A variance between levels")
        factor, levels = factor_of(hypothesis), compared_levels(table, hypothesis)
        rows = rows_of_levels(table, factor, levels)
        answers, row_levels = yes_or_no(rows), text(rows, factor)
        ones, others = np.ones((len(rows), 1)), random_labels(rows, self.random)
        model = fit_glmm(answers, ones, [row_levels.to_numpy(), *others])
        if model.is_separated:
            raise ValueError("All answers are the same, so the odds have no finite estimate.")
        null = fit_glmm(answers, ones, others).log_likelihood if others else fit_logistic(answers, ones).log_likelihood
        ratio = max(0.0, 2 * (model.log_likelihood - null))
        # Under the null, a variance is estimated as zero half of the time, so p is halved (Self & Liang 1987).
        # Two equal likelihoods differ by rounding, and half of a chi-square next to 0 is not 1 but .5.
        p_value = 1.0 if ratio < _ROUNDING else float(stats.chi2.sf(ratio, 1)) / 2
        return Estimate(
            effect=float(np.sqrt(model.variances[0])),
            effect_name=f"SD of log odds over levels of {factor}",
            null_value=0.0,
            statistic=finite(ratio),
            statistic_name="chi-square",
            df=(1,),
            p_value=p_value,
            n_sessions=n_participants(rows),
            n_rows=len(rows),
            groups=_groups(model, row_levels, levels),
            details=self._details(model),
            notes=notes_of(_ALIKE if model.variances[0] == 0 else "", self._independence(rows)),
        )

    def _details(self, model: LogisticMixedFit) -> dict[str, float | None]:
        spreads = zip(self.random, model.variances[1:], strict=True)
        return finite_details(
            {
                "log_odds": float(model.coefficients[0]),
                "share": float(special.expit(model.coefficients[0])),
                "standard_error": float(model.standard_errors[0]),
                "log_likelihood": model.log_likelihood,
                **{f"variance_{name}": float(value) for name, value in spreads},
            }
        )

    def _independence(self, rows: Table) -> str:
        n_people = n_participants(rows)
        if "participant" in self.random or len(rows) == n_people:
            return ""
        return f"{len(rows)} rows of {n_people} participants are taken as independent; put participant into `random`."


def _groups(model: LogisticMixedFit, row_levels: pd.Series[str], levels: tuple[str, ...]) -> tuple[GroupSummary, ...]:
    modes = dict(zip(sorted(set(row_levels)), model.modes[0], strict=True))
    return tuple(
        GroupSummary(
            group=level,
            n=int((row_levels == level).sum()),
            mean=float(special.expit(model.coefficients[0] + modes[level])),
        )
        for level in levels
    )


def random_labels(rows: Table, random: RandomIntercepts) -> list[npt.NDArray[np.intp]]:
    """Return the codes of every grouping factor, one per row."""
    absent = [name for name in random if name not in rows.columns]
    if absent:
        raise ValueError(
            f"The rows have no column {absent[0]!r}, which `random` names. "
            "Keep single answers with their items; without them, the model takes the items as all there are."
        )
    return [level_numbers(rows, name) for name in random]
