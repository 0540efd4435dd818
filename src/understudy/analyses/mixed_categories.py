"""Mixed models of categories: logistic, ordinal, and the logistic model of groups."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from understudy.analyses.assumptions import category_panels
from understudy.analyses.mixed_models import (
    REGULAR,
    SIMPLER,
    MixedModel,
    Question,
    Structure,
    explained_shares,
    fit_structure,
    likelihood_note,
    marginal_means,
    pair_details,
    question_of,
    random_structure,
    random_variance,
    ratio_estimate,
    refuse_constant_groups,
    structure_details,
    two_sided,
    without_effect,
)
from understudy.analyses.model_design import (
    FEW_ANSWERS_RULE,
    FEWEST_ANSWERS,
    SHARES_RULE,
    ModelDesign,
    shown_shares,
    values_by_level,
)
from understudy.analyses.regression import NOT_COMPARED, SEPARATED
from understudy.analyses.results import (
    EITHER_WAY,
    YES_NO,
    alternative_of,
    effect_estimate,
    effect_size,
    finite,
    finite_details,
    finite_df,
    limits,
    notes_of,
    plain_summary,
    refuse_direction,
)
from understudy.analyses.rows import (
    compared_levels,
    factor_of,
    level_numbers,
    n_participants,
    numbers,
    rows_of_levels,
    text,
    yes_or_no,
)
from understudy.deferred.pandas import pd
from understudy.deferred.scipy import special, stats
from understudy.registry import register
from understudy.roles import Fit, Rng, Table
from understudy.schema import Estimate, GroupSummary, Hypothesis, Record, Scale
from understudy.statistics.arrays import Ints
from understudy.statistics.crossed_logistic import LogisticMixedFit, fit_glmm
from understudy.statistics.distributions import Interval as Limits
from understudy.statistics.mixed_categories import SLOPE_SD, CategoryFit, fit_category_mixed, search_category_mixed
from understudy.statistics.mixed_laplace import marginal_shares, row_variances, shift_to
from understudy.statistics.mixed_linear import lmm_f_test, lmm_t_test
from understudy.statistics.mixed_terms import terms_of
from understudy.statistics.regression import fit_logistic, is_ordinal_separated

_PENALISED = (
    "Answers are separated by the predictors, so the odds have no finite estimate: the model was fitted with a weak "
    f"normal prior on its coefficients (penalised; SD {SLOPE_SD:g} in log-odds)."
)
_ERROR_VARIANCE = math.pi**2 / 3
"""The variance of the logistic distribution, which answers have beyond people and items."""
_FAR = 12.0
"""Log-odds that no data of this size can show; a search that ends beyond them runs towards infinity."""
_STEP = 1e-4
"""In log-odds, for the slope of the share."""


@dataclass(frozen=True)
class _Fitted:
    model: CategoryFit
    structure: Structure
    design: ModelDesign
    question: Question
    categories: Ints


def _is_endless(model: CategoryFit) -> bool:
    """Tell whether the search ran towards infinity, as answers let it that are separated but for people and items."""
    return not model.is_penalised and bool(np.abs(model.coefficients[1:]).max(initial=0.0) > _FAR)


class CategoryModel(MixedModel):
    """What the models of yes/no answers and of ratings share: a log odds ratio and its test."""

    model_rule: ClassVar[str] = f"{FEW_ANSWERS_RULE} {REGULAR} {SHARES_RULE} {SIMPLER}"

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return a log odds ratio with its test, all levels together, or the log-odds of yes."""
        design = self.design(table, hypothesis)
        categories = self.categories(design.rows)
        if np.ptp(categories) == 0:
            raise ValueError("All answers are the same, so the odds have no finite estimate.")
        predictors = design.predictors
        penalise = is_ordinal_separated(categories, predictors)

        shown = shown_shares(categories, design, hypothesis)

        def fit(structure: Structure, *, is_penalised: bool) -> tuple[CategoryFit, Structure]:
            search = partial(
                search_category_mixed, categories, predictors, method=self._method, is_penalised=is_penalised
            )
            return fit_structure(
                self.random,
                structure,
                search,
                doubt_of=lambda found, groups: "" if _is_endless(found) else shown.doubt(found, groups, predictors),
                fewest=FEWEST_ANSWERS,
            )

        structure = random_structure(self.random, design, hypothesis)
        refuse_constant_groups(structure, categories.astype(np.float64))
        model, final = fit(structure, is_penalised=penalise)
        if not penalise and _is_endless(model):
            model, final = fit(structure, is_penalised=True)
        unit = "log odds ratio" if design.levels else "log odds"
        fitted = _Fitted(model, final, design, question_of(self, design, hypothesis, unit), categories)
        return self._estimate(fitted, hypothesis)

    @property
    def _method(self) -> Literal["REML", "ML"]:
        return self.method or ("REML" if self.random == "maximal" else "ML")

    def categories(self, rows: Table) -> Ints:
        """Return the answers as 0, 1, … in their order."""
        values = numbers(rows)
        return np.unique(values, return_inverse=True)[1].astype(np.int64).ravel()

    def _estimate(self, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        if not fitted.question.is_single:
            estimate = self._together(fitted, hypothesis)
        elif hypothesis.factor is None:
            estimate = self._share(fitted, hypothesis)
        else:
            estimate = self._single(fitted.model, fitted.question, hypothesis)
        if self.test == "likelihood_ratio":
            estimate = self._by_ratio(estimate, fitted, hypothesis)
        rows = fitted.design.rows
        parts = values_by_level(fitted.design, numbers(rows), hypothesis.factor)
        penalised = _PENALISED if fitted.model.is_penalised else ""
        found = estimate.model_copy(
            update={
                "n_sessions": n_participants(rows),
                "n_rows": len(rows),
                "groups": tuple(plain_summary(name, part) for name, part in parts.items()),
                "details": estimate.details | self._details(fitted, hypothesis),
                "notes": notes_of(
                    estimate.notes,
                    penalised,
                    fitted.structure.notes,
                    likelihood_note(self._method, fitted.structure.groups),
                ),
                "diagnostics": category_panels(fitted.model, numbers(rows), fitted.structure.groups),
            }
        )
        return fitted.structure.judged(found)

    def _single(self, model: CategoryFit, question: Question, hypothesis: Hypothesis) -> Estimate:
        test = lmm_t_test(
            model, question.weights[0], alternative=alternative_of(hypothesis.direction), level=self.confidence
        )
        name = "t" if math.isfinite(test.df) else "z"
        estimate = effect_estimate(test.estimate, test, name=question.name, statistic=name, level=self.confidence)
        # A huge log-odds has an infinite odds ratio, which is a result and not an error.
        with np.errstate(over="ignore"):
            odds = [float(np.exp(value)) for value in (test.estimate, *test.interval)]
        ratio = effect_size("odds ratio", odds[0], Limits(odds[1], odds[2]), self.confidence, null_value=1.0)
        return estimate.model_copy(
            update={
                "df": finite_df(test.df),
                "effect_sizes": (ratio,),
                "details": {"standard_error": finite(test.standard_error)},
                "notes": notes_of(SEPARATED if math.isnan(test.p_value) else ""),
            }
        )

    def _share(self, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        """Return the share over all people and items, which a claim about a share names, and test it by the intercept."""
        against, model = hypothesis.against, fitted.model
        if against is not None and not 0 < against < 1:
            raise ValueError(
                f"The share in `against` is {against:g}; on the log-odds scale it must be between 0 and 1."
            )
        predictor = fitted.design.predictors @ model.coefficients
        variances = row_variances(terms_of(fitted.structure.groups), model.covariances)

        def share(shift: float) -> float:
            return float(marginal_shares(predictor + shift, variances).mean())

        # The answers' own share, since Laplace's method moves that of the model where people or items have few answers each.
        # At given variances the share rises with the intercept alone, so the test asks how far apart the intercepts are at
        # which it would be the answers' and the claimed one. What the variances leave open moves both alike.
        at = shift_to(float(fitted.categories.mean()), share)
        null = at if against is None else shift_to(against, share)
        shift = np.eye(model.coefficients.size)[0] * (model.coefficients[0] + null - at)
        moved = replace(
            model,
            coefficients=model.coefficients - shift,
            covariance=model.covariance if model.covariance_at_variances is None else model.covariance_at_variances,
        )
        test = lmm_t_test(
            moved, fitted.question.weights[0], alternative=alternative_of(hypothesis.direction), level=self.confidence
        )
        interval = Limits(*(share(null + end) if math.isfinite(end) else math.nan for end in test.interval))
        steepness = (share(at + _STEP) - share(at - _STEP)) / (2 * _STEP)
        is_tested = against is not None
        return Estimate(
            effect=share(at),
            effect_name=f"share over people and items{f' (against {against:g})' if is_tested else ''}",
            null_value=against,
            interval=limits(interval, self.confidence),
            statistic=finite(test.statistic) if is_tested else None,
            statistic_name="t" if math.isfinite(test.df) else "z",
            df=finite_df(test.df) if is_tested else (),
            p_value=finite(test.p_value) if is_tested else None,
            n_sessions=0,
            n_rows=0,
            details={
                "standard_error": finite(steepness * test.standard_error),
                "share_for_average_person_and_item": float(special.expit(model.coefficients[0])),
                "log_odds_for_average_person_and_item": float(model.coefficients[0]),
            },
            notes=notes_of("" if is_tested else NOT_COMPARED),
        )

    def _together(self, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        refuse_direction(hypothesis.direction, fitted.question.what)
        model, design = fitted.model, fitted.design
        test = lmm_f_test(model, fitted.question.weights, level=self.confidence)
        is_f = math.isfinite(test.error_df)
        means = [*marginal_means(design, hypothesis, model.coefficients).values()]
        last = design.levels[-1]
        ratios = zip(design.levels[:-1], means[:-1], strict=True)
        return Estimate(
            effect=finite(float(np.std(means, ddof=1))),
            effect_name="SD of log odds over levels",
            null_value=0.0,
            statistic=finite(test.statistic * (1 if is_f else test.df)),
            statistic_name="F" if is_f else "chi-square",
            df=(test.df, test.error_df) if is_f else (test.df,),
            p_value=finite(test.p_value),
            n_sessions=0,
            n_rows=0,
            details={f"log_odds_ratio_{level}_to_{last}": finite(mean - means[-1]) for level, mean in ratios},
        )

    def _by_ratio(self, estimate: Estimate, fitted: _Fitted, hypothesis: Hypothesis) -> Estimate:
        terms, predictors = terms_of(fitted.structure.groups), fitted.design.predictors
        weights, is_penalised = fitted.question.weights, fitted.model.is_penalised
        full, nested = (
            fit_category_mixed(fitted.categories, columns, terms, method="ML", is_penalised=is_penalised)
            for columns in (predictors, without_effect(predictors, weights))
        )
        rise = full.log_likelihood - nested.log_likelihood
        return ratio_estimate(estimate, rise, df=len(weights), direction=hypothesis.direction)

    def _details(self, fitted: _Fitted, hypothesis: Hypothesis) -> dict[str, float | None]:
        model, groups = fitted.model, fitted.structure.groups
        found = structure_details(groups, model.covariances) | {"log_likelihood": model.log_likelihood}
        random = random_variance(groups, model.covariances)
        predicted = fitted.design.predictors @ model.coefficients
        found |= explained_shares(predicted, random=random, error=_ERROR_VARIANCE)
        found |= {
            f"threshold_{number}": float(value - model.coefficients[0])
            for number, value in enumerate(model.thresholds, start=1)
            if model.thresholds.size > 1
        }
        found |= pair_details(self, fitted.design, hypothesis, two_sided(model))
        return finite_details(found)


# Logistic groups: shares of yes in several groups of people, shrunk towards each other by a mixed model.

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


# Logistic mixed model: effects on yes-or-no answers, with random intercepts and slopes of people and items.


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


# Ordinal mixed model: effects on ratings without treating them as numbers (a cumulative link model).

_RATINGS: frozenset[Scale] = frozenset({"ordinal", "bounded", "count"})
_MOST_RATINGS = 21
"""More categories than this are a continuous scale, and each would need a threshold of its own."""


@register("analyses", "ordinal_mixed")
class OrdinalMixed(CategoryModel):
    """Compares ratings between levels in a cumulative logit model with crossed random effects of people and items."""

    estimand: ClassVar[str] = "the odds ratio of a higher rating for one person and one item (conditional on them)"

    @property
    def fit(self) -> Fit:
        """Return the fit: ratings, and a factor whose levels are compared."""
        return replace(self.fit_for(_RATINGS), factor="any")

    def estimate(self, table: Table, hypothesis: Hypothesis, rng: Rng) -> Estimate:
        """Return how the odds of a higher rating differ between levels: a log odds ratio with its test."""
        n_ratings = len(set(numbers(table)))
        if n_ratings > _MOST_RATINGS:
            raise ValueError(
                f"The values contain {n_ratings} different numbers; an ordinal model takes up to {_MOST_RATINGS} ratings. "
                "Use linear_mixed."
            )
        return super().estimate(table, hypothesis, rng)
