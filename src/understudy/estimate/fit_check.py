"""Find where an analysis does not fit a hypothesis, before data exist."""

from collections.abc import Iterator
from typing import NamedTuple

from understudy import registry
from understudy.errors import UnderstudyError
from understudy.estimate.choices import analyses_in, analysis_from_ref, checks_in
from understudy.estimate.variables import Variables
from understudy.roles import Fit
from understudy.schema import AnalysisPlan, Hypothesis, Outcome, names_in


class _Offer(NamedTuple):
    """The data that a hypothesis offers its analyses."""

    hypothesis: Hypothesis
    outcome: Outcome
    variables: Variables
    other: Outcome | None


_SCOPES = {"between": ("between",), "within": ("within", "item", "question")}


def choice_faults(hypothesis: Hypothesis, outcome: Outcome, plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return the faults of every check and analysis that a hypothesis can lead to."""
    context = f"Hypothesis {hypothesis.hypothesis_id!r}"
    faults: list[str] = []
    for check in checks_in(hypothesis.analysis):
        try:
            registry.create("checks", check.check)
        except UnderstudyError as error:
            faults.append(f"{context}: {error}")
    for ref in analyses_in(hypothesis.analysis):
        try:
            fit = analysis_from_ref(ref, hypothesis, plan).fit
        except UnderstudyError as error:
            faults.append(f"{context}: {error}")
            continue
        about = f"{context} uses {ref.name!r}, which"
        other = next((known for known in plan.outcomes if known.name == hypothesis.other), None)
        offer = _Offer(hypothesis, outcome, variables, other)
        for faults_of in (_outcome_faults, _factor_faults, _row_faults, _need_faults, _parameter_faults):
            faults.extend(faults_of(about, fit, offer))
        faults.extend(_covariate_faults(about, fit, plan, variables))
    # Branches of a tree may share an analysis, whose faults are listed once.
    return list(dict.fromkeys(faults))


def _outcome_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    hypothesis, outcome, variables, other = offer
    scale, unit = variables.scale_of(outcome), variables.unit_of(outcome)
    if scale not in fit.scales:
        after_summary = (
            f" after its summary {outcome.summary!r}" if scale != variables.measures[outcome.measure].scale else ""
        )
        taken = _listed(fit.scales)
        yield f"{about} takes {taken} outcomes; {outcome.name!r} is {scale}{after_summary}. Choose another analysis."
    if fit.unit == "participant" and unit == "trial":
        of_items = [name for name in (hypothesis.factor, hypothesis.crossed_with) if _is_of_items(name, variables)]
        yield f"{about} needs one number per participant, but {outcome.name!r} keeps single trials. " + (
            f"Choose a mixed model with random effects of items: in a summary, the items of {of_items[0]!r} are all there are."
            if of_items
            else "Give it a summary."
        )
    if fit.unit == "trial" and unit == "participant":
        yield f'{about} needs single trials, but {outcome.name!r} is summarised. Set its summary to "none".'
    if other is not None and fit.other_scales is not None and other.measure in variables.measures:
        scale = variables.scale_of(other)
        if scale not in fit.other_scales:
            yield f"{about} takes {_listed(fit.other_scales)} outcomes in `other`; {other.name!r} is {scale}."


def _is_of_items(name: str | None, variables: Variables) -> bool:
    return name is not None and name in variables.factors_of_scope("item")


def _factor_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    hypothesis, _, variables, _ = offer
    if hypothesis.factor is None:
        if fit.factor in ("between", "within", "any"):
            kind = "factor" if fit.factor == "any" else f"factor that varies {fit.factor} people"
            yield f"{about} compares the levels of a {kind}; name it in `factor`."
        return
    factor = variables.factors.get(hypothesis.factor)
    if factor is None:
        return
    if fit.factor == "none":
        yield f"{about} compares no levels; leave `factor` out."
        return
    if fit.factor in _SCOPES and factor.scope not in _SCOPES[fit.factor]:
        varies = "between people" if factor.scope == "between" else "within people"
        yield f"{about} needs a factor that varies {fit.factor} people; {hypothesis.factor!r} varies {varies}."
    yield from _level_faults(about, fit, hypothesis, factor.levels)


def _level_faults(about: str, fit: Fit, hypothesis: Hypothesis, levels: tuple[str, ...]) -> Iterator[str]:
    if fit.n_levels == "two" and hypothesis.contrast is None and len(levels) != 2:
        yield (
            f"{about} compares two levels, but {hypothesis.factor!r} has {len(levels)}: {', '.join(levels)}. "
            "Name two of them in `contrast`."
        )
    if fit.n_levels == "many" and hypothesis.contrast is not None:
        yield f"{about} compares all levels together; leave `contrast` out, or choose a test of two levels."
    is_one_sided = hypothesis.direction in ("greater", "less") and hypothesis.direction in fit.directions
    if fit.n_levels == "any" and is_one_sided and hypothesis.contrast is None and len(levels) > 2:
        yield (
            f"{about} tests {len(levels)} levels of {hypothesis.factor!r} together, which has no direction, but the "
            f"hypothesis says {hypothesis.direction!r}. Name two levels in `contrast`."
        )
    if fit.n_levels == "many" and len(levels) < 2:
        yield f"{about} compares levels, but {hypothesis.factor!r} has only one."


def _row_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    """Yield faults unless every factor of the test is a column and nothing else multiplies a participant's rows."""
    hypothesis, outcome, variables, _ = offer
    if variables.unit_of(outcome) == "trial" or fit.unit == "trial":
        return
    for name in (hypothesis.factor, hypothesis.crossed_with):
        known = variables.factors.get(name or "")
        if known is not None and known.scope != "between" and name not in outcome.by:
            apart = f"outcome {outcome.name!r} does not keep them apart"
            yield f"{about} compares levels of {name!r}, but {apart}. Add it to `by`."
    named = {hypothesis.factor, hypothesis.crossed_with, *(name for name, _ in fit.reads)}
    named |= names_in(hypothesis.where) if hypothesis.where else set()
    for name in outcome.by:
        if name not in named and fit.unit == "participant":
            yield (
                f"{about} takes one row per participant and level, but outcome {outcome.name!r} has a row for each "
                f"{name!r} too. Choose one level in `where`, or use an outcome without it."
            )


def _need_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    hypothesis, outcome, variables, _ = offer
    if hypothesis.direction not in fit.directions:
        shown = _listed(fit.directions)
        yield f"{about} can show {shown}, but not {hypothesis.direction!r}. Change `direction` or the analysis."
    yield from _expected_faults(about, fit, offer)
    if fit.crossed_with == "within":
        crossed = variables.factors.get(hypothesis.crossed_with or "")
        if hypothesis.crossed_with is None:
            yield f"{about} needs a second factor that varies within people; name it in `crossed_with`."
        elif crossed is not None and crossed.scope == "between":
            name = hypothesis.crossed_with
            yield f"{about} needs `crossed_with` to vary within people; {name!r} varies between people."
    elif hypothesis.crossed_with is not None and fit.crossed_with == "none":
        yield f"{about} has no second factor; leave `crossed_with` out."
    if "against" in fit.needs and hypothesis.against is None:
        yield f"{about} compares a mean with a value; give the value in `against`."
    if hypothesis.against is not None and fit.factor in ("between", "within", "any"):
        yield f"{about} compares levels, not a mean with a value; leave `against` out."
    if hypothesis.against is not None and fit.factor == "optional" and hypothesis.factor is not None:
        yield f"{about} compares levels, or a mean with a value, but not both; leave `factor` or `against` out."
    if "other" in fit.needs and hypothesis.other is None:
        yield f"{about} relates two outcomes; name the second in `other`."
    if "other" not in fit.needs and hypothesis.other is not None:
        yield f"{about} looks at one outcome; leave `other` out."
    if "item" in fit.needs and not (variables.has_items and variables.unit_of(outcome) == "trial"):
        yield f"{about} needs to know the item of each trial, which {outcome.name!r} does not have."


def _expected_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    """Yield a fault if a two-sided test expects a direction that its effect cannot have."""
    hypothesis, _, variables, _ = offer
    if hypothesis.expects is None:
        return
    if hypothesis.direction != "different":
        yield (
            f"{about} has direction {hypothesis.direction!r}; `expects` is for two-sided tests, whose direction is "
            "'different'. Leave one of them out."
        )
        return
    factor = variables.factors.get(hypothesis.factor or "")
    is_of_many = factor is not None and hypothesis.contrast is None and len(factor.levels) > 2
    # A test of one pair is two-sided, but its difference has a sign.
    has_sign = hypothesis.expects in fit.directions or fit.n_levels == "two"
    if not has_sign or is_of_many:
        yield f"{about} has no direction here, but `expects` says {hypothesis.expects!r}. Name a contrast, or leave it out."


def _parameter_faults(about: str, fit: Fit, offer: _Offer) -> Iterator[str]:
    """Yield faults for factors named in analysis parameters that do not exist or are not columns of the outcome."""
    _, outcome, variables, _ = offer
    for name, level in dict.fromkeys(fit.reads):
        factor = variables.factors.get(name)
        if factor is None:
            known = ", ".join(variables.factors) or "none"
            yield f"{about} reads {name!r}, which is not a factor. Factors are: {known}."
        elif level is not None and level not in factor.levels:
            yield f"{about} reads {level!r}, which is not a level of {name!r}. Levels are: {', '.join(factor.levels)}."
        elif name not in variables.columns_of(outcome):
            yield f"{about} reads {name!r}, which outcome {outcome.name!r} does not keep. Add it to its `by`."


def _covariate_faults(about: str, fit: Fit, plan: AnalysisPlan, variables: Variables) -> Iterator[str]:
    """Yield faults for covariates that are not numeric outcomes of the plan."""
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}
    for name in fit.covariates:
        if name not in outcomes:
            yield f"{about} adjusts for {name!r}, which is not an outcome. Outcomes are: {', '.join(outcomes)}."
        elif outcomes[name].measure in variables.measures and variables.scale_of(outcomes[name]) == "nominal":
            yield f"{about} adjusts for {name!r}, which holds labels. Name a numeric outcome, or a factor in `adjusts_for`."


def _listed(words: frozenset[str]) -> str:
    ordered = sorted(words)
    return ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
