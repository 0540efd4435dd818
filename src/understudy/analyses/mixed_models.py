"""Mixed models: what their entries in the catalogue share, and the random effects that a study's design calls for."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import ClassVar, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from understudy.analyses.model_design import ModelDesign, interaction_name, model_design, refuse_lone_people
from understudy.analyses.results import alternative_of, difference_name, finite
from understudy.analyses.rows import level_numbers
from understudy.deferred.scipy import stats
from understudy.roles import Fit, Floats, PlannedData, Table
from understudy.schema import Direction, Estimate, Hypothesis, Record, Scale
from understudy.statistics.distributions import EffectTest, p_from_z
from understudy.statistics.mixed_laplace import row_variances
from understudy.statistics.mixed_linear import DfMethod, lmm_t_test
from understudy.statistics.mixed_terms import (
    Doubts,
    Effect,
    Fitted,
    Group,
    MixedFit,
    Searched,
    Simplified,
    Term,
    certain_correlation,
    maximal_group,
    simplified_fit,
    terms_of,
    varies_within,
    with_enough_answers,
)
from understudy.statistics.multiple_comparisons import benjamini_hochberg, bonferroni, holm

_MANY_LEVELS = 50
"""From so many people or items on, the bias of a variance by maximum likelihood hardly matters."""
_FEWEST = 2
"""Answers of a person or item, on average, below which they may be left out of a model that does not hold."""
GroupName: TypeAlias = Literal["participant", "item"]


REGULAR = (
    "A model holds if its search ends at a minimum and no correlation of its random effects is at 1 or -1 (beyond .99 counts); "
    "one with maximal random effects also needs slopes and combinations of effects that vary."
)
SIMPLER = (
    "If the planned model does not hold, its search begins again at several points, among them the fit with intercepts alone, and "
    "the best is kept. If that does not hold either, correlations are left out first and then the slope with the smallest "
    "variance, one after another, and last items or people with fewer than 2 answers each within which every tested effect "
    "varies, until a model holds; the result rests on that one, and the finding names it. If none "
    "holds, there is no verdict."
)


class RandomTerm(Record):
    """The random effects of people, or of items: intercepts, and slopes of the named effects."""

    group: GroupName
    slopes: tuple[str, ...] = ()
    """Factors of the model; an interaction is written "first:second"."""
    correlated: bool = True


RandomStructure: TypeAlias = Literal["maximal"] | tuple[GroupName | RandomTerm, ...]
F = TypeVar("F", bound=Fitted)


class MixedModel(Record):
    """The parameters that linear, logistic and ordinal mixed models share."""

    model_rule: ClassVar[str] = f"{REGULAR} {SIMPLER}"
    random: RandomStructure = ("participant", "item")
    """maximal: intercepts of people and items, with slopes of everything tested that changes within them. Or a list of
    what has random effects: "participant" and "item" alone give intercepts only."""
    method: Literal["REML", "ML"] | None = None
    """REML for linear models and for `maximal`; ML otherwise, so that older plans keep their numbers."""
    test: Literal["wald", "likelihood_ratio"] = "wald"
    tests: Literal["factor", "interaction"] = "factor"
    """What is tested if the hypothesis names a second factor in `crossed_with`."""
    adjusts_for: tuple[str, ...] = ()
    """Further factors in the model, as main effects."""
    covariates: tuple[str, ...] = ()
    """Further outcomes of the plan that the model adjusts for."""
    levels: Literal["contrasted", "all"] = "contrasted"
    """all: the model holds every level of the factor, and the contrast is taken inside it."""
    pairs: Literal["none", "holm", "bonferroni", "fdr"] = "none"
    """How the pairs of three or more levels, listed in the details, are corrected."""
    confidence: float = 0.95

    def fit_for(self, scales: frozenset[Scale]) -> Fit:
        """Return what the model can take: single trials if items are random, otherwise also one row per person and level."""
        needs_item = self.random != "maximal" and "item" in group_names(self.random)
        return Fit(
            scales,
            unit="trial" if needs_item else "either",
            factor="optional",
            crossed_with="optional",
            needs=frozenset({"item"}) if needs_item else frozenset(),
            reads=tuple((name, None) for name in self.adjusts_for),
            rows=self.levels,
            covariates=self.covariates,
        )

    @property
    def samples_items(self) -> bool:
        """Tell whether items have random effects."""
        return "item" in group_names(self.random)

    def design(self, table: Table, hypothesis: Hypothesis) -> ModelDesign:
        """Return the predictors of the model."""
        if self.tests == "interaction" and hypothesis.crossed_with is None:
            raise ValueError("The model tests an interaction; name the second factor in `crossed_with`.")
        design = model_design(
            table,
            hypothesis,
            adjusts_for=self.adjusts_for,
            covariates=self.covariates,
            has_all_levels=self.levels == "all",
        )
        if "participant" in group_names(self.random):
            refuse_lone_people(design, hypothesis.factor)
        return design

    def cautions(self, hypothesis: Hypothesis, planned: PlannedData) -> tuple[str, ...]:
        """Return where a tested factor will vary within people or items without a slope."""
        # One row per person and level leaves nothing to tell a slope from noise.
        if self.random == "maximal" or planned.unit == "participant":
            return ()
        terms = [RandomTerm(group=term) if isinstance(term, str) else term for term in self.random]
        tested = [
            name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None and name in planned.scopes
        ]
        found = []
        for term in terms:
            fixed = {"participant": "between", "item": "item"}[term.group]
            absent = [name for name in tested if planned.scopes[name] != fixed and name not in term.slopes]
            if absent:
                found.append(_no_slopes(absent, term.group))
        return tuple(found)


class Structure(NamedTuple):
    """The random effects of a model, and what a reader must know about them."""

    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()
    rests_on: str = ""
    """The model that was fitted in place of the planned one, and why; empty if the planned one holds."""
    doubt: str = ""
    """Why no verdict may rest on this model either; empty if it holds."""
    dispensable: tuple[str, ...] = ()
    """Groups with so few answers each, and at so many levels, that they may be left out last of all."""

    def judged(self, estimate: Estimate) -> Estimate:
        """Return an estimate with what a verdict rests on; without a p-value if none may rest on it."""
        if not self.doubt:
            return estimate.model_copy(update={"rests_on": self.rests_on})
        update = {"statistic": None, "p_value": None, "df": (), "notes": (self.doubt, *estimate.notes)}
        return estimate.model_copy(update=update)


def group_names(random: RandomStructure) -> tuple[str, ...]:
    """Return what has random effects.

    >>> group_names(("participant", RandomTerm(group="item")))
    ('participant', 'item')
    """
    if random == "maximal":
        return ("participant", "item")
    return tuple(term.group if isinstance(term, RandomTerm) else term for term in random)


def random_structure(random: RandomStructure, design: ModelDesign, hypothesis: Hypothesis) -> Structure:
    """Return the groups of a model: as named, or with every slope of what is tested that varies within them."""
    effects = _tested_effects(design, hypothesis)
    if random == "maximal":
        structure = _maximal(design, effects)
        return structure._replace(dispensable=_dispensable(structure.groups, effects))
    terms = [RandomTerm(group=term) if isinstance(term, str) else term for term in random]
    if not terms:
        raise ValueError("`random` names nothing; a mixed model needs participant, item or both.")
    absent = [term.group for term in terms if term.group not in design.rows.columns]
    if absent:
        raise ValueError(
            f"The rows have no column {absent[0]!r}, which `random` names. "
            "Keep single answers with their items; without them, the model takes the items as all there are."
        )
    known = {block.name for block in design.blocks}
    strange = [name for term in terms for name in term.slopes if name not in known]
    if strange:
        raise ValueError(
            f"`random` names a slope of {strange[0]!r}, which is not in the model. Effects are: {', '.join(sorted(known))}."
        )
    groups = tuple(
        Group(
            term.group,
            level_numbers(design.rows, term.group),
            tuple(map(design.random_effect, term.slopes)),
            term.correlated,
        )
        for term in terms
    )
    return Structure(groups, _missing_slopes(groups, effects), dispensable=_dispensable(groups, effects))


def refuse_constant_groups(structure: Structure, answers: Floats) -> None:
    """Reject answers that people, or items, explain entirely: their variance would have no end, or the rest no variance."""
    for group in structure.groups:
        names, codes = np.unique(group.labels, return_inverse=True)
        # Every answer equals the first one of its person or item.
        first = np.zeros(names.size)
        first[codes[::-1]] = answers[::-1]
        if names.size < answers.size and (answers == first[codes]).all():
            whose = "Every person always gives" if group.name == "participant" else "Every item always gets"
            raise ValueError(
                f"{whose} the same answer, so a model of single answers cannot be fitted. Compare {group.name}s with "
                "one value each."
            )


def _maximal(design: ModelDesign, effects: Sequence[Effect]) -> Structure:
    groups, notes = [], []
    for name in ("participant", "item"):
        if name not in design.rows.columns:
            continue
        labels = level_numbers(design.rows, name)
        n_levels = np.unique(labels).size
        if name == "item" and not 2 <= n_levels < labels.size:
            if n_levels > 1:
                notes.append("Items are not random: every answer is about a different item.")
            continue
        groups.append(maximal_group(name, labels, effects))
    return Structure(tuple(groups), tuple(notes))


def _dispensable(groups: Sequence[Group], effects: Sequence[Effect]) -> tuple[str, ...]:
    """Return the groups with hardly more than one answer each that hold no tested effect: without them, errors stay right."""
    return tuple(
        group.name
        for group in groups
        if group.labels.size < _FEWEST * np.unique(group.labels).size
        and effects
        and all(varies_within(part, group.labels) for effect in effects for part in effect.parts)
    )


def _tested_effects(design: ModelDesign, hypothesis: Hypothesis) -> list[Effect]:
    """Return the effects whose slopes matter; those of control factors do not (Barr et al. 2013)."""
    names = [name for name in (hypothesis.factor, hypothesis.crossed_with) if name is not None]
    if len(names) == 2:
        names.append(interaction_name(names[0], names[1]))
    return [design.random_effect(name) for name in names]


def _missing_slopes(groups: Sequence[Group], effects: Sequence[Effect]) -> tuple[str, ...]:
    """Warn where a tested effect varies within people or items but has no slope."""
    notes = []
    for group in groups:
        present = {slope.name for slope in group.slopes}
        full = maximal_group(group.name, group.labels, effects)
        absent = [slope.name for slope in full.slopes if slope.name not in present]
        if absent:
            notes.append(_no_slopes(absent, group.name))
    return tuple(notes)


def _no_slopes(absent: Sequence[str], group: str) -> str:
    return (
        f"{' and '.join(map(repr, absent))} varies within each {group}, but the model has no slopes for it: "
        "if its effect differs between them, p-values are too small and intervals too narrow. "
        'Use random = "maximal".'
    )


class Search(Protocol[F]):
    """A search for the variances of one family of models."""

    def __call__(self, terms: list[Term], *, has_more_starts: bool = False) -> Searched[F]:
        """Search from the usual start, or from several."""


def fit_structure(
    random: RandomStructure,
    structure: Structure,
    search: Search[F],
    *,
    doubt_of: Callable[[F, tuple[Group, ...]], str] = lambda _found, _groups: "",
    fewest: float = 0,
) -> tuple[F, Structure]:
    """Fit a model, or the next simpler one that holds; of a named structure, a variance of zero is left in the model.

    `doubt_of` says what speaks against a fit, and `fewest` is how many answers people and items need for each effect.
    """

    def doubt(found: Searched[F], groups: tuple[Group, ...]) -> str:
        if not found.is_converged:
            return "the search for its variances did not end"
        return certain_correlation(groups, found.covariances) or doubt_of(found.finished(), groups)

    first = with_enough_answers(structure.groups, fewest)
    found, simplified = simplified_fit(
        search,
        first.groups,
        Doubts(
            doubt,
            lambda terms: search(terms, has_more_starts=True),
            keeps_singular=random != "maximal",
            dispensable=structure.dispensable,
        ),
    )
    simplified = simplified._replace(steps=(*first.steps, *simplified.steps))
    reasons = _fit_notes(found, simplified)
    now = _structure_note(simplified.groups)
    rests_on = _simplified_note(simplified, now) if simplified.steps else ""
    failed = f"No verdict rests on this model, the simplest that the plan leads to: {simplified.doubt}."
    notes = (*structure.notes, *reasons, rests_on or now)
    return found.finished(), Structure(simplified.groups, notes, rests_on, failed if simplified.doubt else "")


def likelihood_note(method: Literal["REML", "ML"], groups: Sequence[Group]) -> str:
    """Say what maximum likelihood costs where few people or items carry a variance; empty for REML and for many."""
    sizes = {group.name: int(np.unique(group.labels).size) for group in groups}
    few = [f"{n} {name}s" for name, n in sizes.items() if n < _MANY_LEVELS]
    if method == "REML" or not few:
        return ""
    return (
        f"Maximum likelihood takes the variances over {' and '.join(few)} as too small, so p-values are a little too small "
        'and intervals too narrow. method = "REML" corrects for this.'
    )


def _fit_notes(found: Fitted, simplified: Simplified) -> list[str]:
    notes = []
    flat = [
        group.name
        for group, covariance in zip(simplified.groups, found.covariances, strict=True)
        if covariance[0, 0] < 1e-8 * max(1.0, float(np.trace(covariance))) or covariance[0, 0] == 0
    ]
    if flat:
        notes.append(f"The variance of {' and '.join(flat)} intercepts is estimated as zero (a boundary fit).")
    if not simplified.steps and found.is_singular and any(group.slopes for group in simplified.groups):
        notes.append("The fit is singular: the data do not support all the random effects that `random` names.")
    if not found.is_converged:
        notes.append("The fit did not converge. Do not trust its numbers.")
    return notes


def _simplified_note(simplified: Simplified, now: str) -> str:
    """Say what was left out of the planned model, and what a verdict rests on."""
    why = f", since {'; '.join(simplified.doubts)}" if simplified.doubts else ""
    return (
        f"The planned random effects could not be estimated{why}. These were left out, in this order: "
        f"{', '.join(simplified.steps)}. The result rests on the simpler model. {now}"
    )


def _structure_note(groups: Sequence[Group]) -> str:
    parts = []
    for group in groups:
        slopes = ", ".join(slope.name for slope in group.slopes)
        independent = "" if group.is_correlated or not slopes else ", uncorrelated"
        parts.append(f"{group.name} (intercept{f' and slopes of {slopes}' if slopes else ''}{independent})")
    return f"Random effects: {', '.join(parts)}."


def random_variance(groups: Sequence[Group], covariances: Sequence[Floats]) -> float:
    """Return the variance that random effects add to an average row (Johnson 2014)."""
    return float(row_variances(terms_of(groups), covariances).mean())


def structure_details(groups: Sequence[Group], covariances: Sequence[Floats]) -> dict[str, float]:
    """Return the variances of intercepts and slopes, and the correlations of single slopes with intercepts."""
    details: dict[str, float] = {}
    for group, covariance in zip(groups, covariances, strict=True):
        details[f"variance_{group.name}"] = float(covariance[0, 0])
        start = 1
        for slope in group.slopes:
            width = slope.columns.shape[1]
            details[f"variance_{group.name}_{slope.name}"] = float(np.diag(covariance)[start : start + width].mean())
            scale = float(np.sqrt(covariance[0, 0] * covariance[start, start]))
            if width == 1 and group.is_correlated and scale > 0:
                details[f"correlation_{group.name}_{slope.name}"] = float(covariance[0, start]) / scale
            start += width
    return details


def explained_shares(predicted: Floats, *, random: float, error: float) -> dict[str, float]:
    """Return marginal and conditional R² (Nakagawa & Schielzeth 2013, with slopes as in Johnson 2014)."""
    fixed = float(np.var(predicted))
    total = fixed + random + error
    return {"r2_marginal": fixed / total, "r2_conditional": (fixed + random) / total}


# What a mixed model tests: a difference of two levels, all levels together, an interaction, or its mean.

_CORRECTIONS: dict[str, Callable[..., Floats]] = {"holm": holm, "bonferroni": bonferroni, "fdr": benjamini_hochberg}


class Question(NamedTuple):
    """Contrasts of the coefficients, one per row, that answer a hypothesis."""

    weights: Floats
    name: str
    """Of the difference, if it is a single one."""
    what: str
    """What is tested, for errors."""

    @property
    def is_single(self) -> bool:
        """Return whether the answer is one number with a direction."""
        return len(self.weights) == 1


def question_of(settings: MixedModel, design: ModelDesign, hypothesis: Hypothesis, unit: str) -> Question:
    """Return what a hypothesis asks of the model; `unit` names a difference, such as "mean difference"."""
    if hypothesis.factor is None:
        size = design.predictors.shape[1]
        return Question(np.eye(size)[:1], unit, "A mean")
    factor = design.factor(hypothesis.factor)
    if settings.tests == "interaction" and hypothesis.crossed_with is not None:
        other = design.factor(hypothesis.crossed_with)
        name = interaction_name(factor.name, other.name)
        if len(other.levels) > 2 or (len(factor.levels) > 2 and hypothesis.contrast is None):
            return Question(design.joint(name), "", f"The interaction of {factor.name!r} and {other.name!r}")
        pair = hypothesis.contrast or factor.levels
        differences = factor.difference(pair[0], pair[1]), other.difference(other.levels[0], other.levels[1])
        weights = np.asarray(np.kron(*differences), dtype=np.float64)
        changed = f"{unit} ({pair[0]} - {pair[1]}) at {other.levels[0]} - {other.levels[1]}"
        return Question(design.weights(name, weights), changed, "An interaction")
    if hypothesis.contrast is not None or len(factor.levels) == 2:
        pair = hypothesis.contrast or factor.levels
        weights = factor.difference(pair[0], pair[1])
        return Question(design.weights(factor.name, weights), difference_name(pair, unit), "A difference")
    return Question(design.joint(factor.name), "", f"A test of {len(factor.levels)} levels")


def without_effect(predictors: Floats, weights: Floats) -> Floats:
    """Return the predictors of the model in which the contrasts are zero; its first column is still the intercept."""
    if np.any(weights[:, 0]):
        raise ValueError('A likelihood-ratio test needs a factor; compare a mean with a value by `test` = "wald".')
    _, sizes, vectors = np.linalg.svd(weights[:, 1:])
    free = vectors[len(sizes) :].T
    return np.column_stack([predictors[:, 0], predictors[:, 1:] @ free])


def ratio_estimate(estimate: Estimate, rise: float, *, df: int, direction: Direction) -> Estimate:
    """Return an estimate with the likelihood-ratio test of its effect; `rise` is what the effect adds to the likelihood.

    With a direction, the root of the statistic has the sign of the effect, and is normal without one (Barndorff-Nielsen
    & Cox 1994, ch. 3): half of the two-sided p-value if the effect goes the claimed way.
    """
    statistic = max(0.0, 2 * rise)
    p_value = float(stats.chi2.sf(statistic, df))
    if direction != "different":
        root = math.copysign(math.sqrt(statistic), estimate.effect or 0.0)
        p_value = p_from_z(root, alternative_of(direction))
    return estimate.model_copy(
        update={
            "statistic": finite(statistic),
            "statistic_name": "chi-square",
            "df": (float(df),),
            "p_value": finite(p_value),
        }
    )


def marginal_means(design: ModelDesign, hypothesis: Hypothesis, coefficients: Floats) -> dict[str, float]:
    """Return the mean at each level, averaged over other factors and at the mean of covariates."""
    if hypothesis.factor is None:
        return {}
    return {
        f"marginal_mean_{level}": float(design.marginal_mean(hypothesis.factor, level) @ coefficients)
        for level in design.levels
    }


def pair_details(
    settings: MixedModel, design: ModelDesign, hypothesis: Hypothesis, test: Callable[[Floats], EffectTest]
) -> dict[str, float]:
    """Return every difference of two levels inside the model with its corrected p-value."""
    if settings.pairs == "none" or hypothesis.factor is None or len(design.levels) < 3:
        return {}
    factor = design.factor(hypothesis.factor)
    pairs = list(combinations(design.levels, 2))
    tests = [test(design.weights(factor.name, factor.difference(*pair))[0]) for pair in pairs]
    corrected = _CORRECTIONS[settings.pairs]([found.p_value for found in tests])
    details: dict[str, float] = {}
    for (first, second), found, p_value in zip(pairs, tests, corrected, strict=True):
        details[f"difference_{first}_{second}"] = found.estimate
        details[f"p_{settings.pairs}_{first}_{second}"] = float(p_value)
    return details


def two_sided(fit: MixedFit, df_method: DfMethod = "satterthwaite") -> Callable[[Floats], EffectTest]:
    """Return a function that tests one contrast of a fit in both directions."""
    return lambda weights: lmm_t_test(fit, weights, df_method=df_method)
