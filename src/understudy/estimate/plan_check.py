"""Faults of a plan, found before data exist, one sentence each."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from understudy import registry
from understudy.errors import UnderstudyError
from understudy.estimate.choices import analyses_in, analysis_from_ref, checks_in
from understudy.estimate.variables import Variables
from understudy.estimate.verdicts import correction_groups
from understudy.roles import Fit
from understudy.schema import (
    ROW_FUNCTIONS,
    AnalysisPlan,
    Description,
    Family,
    Hypothesis,
    Outcome,
    functions_in,
    names_in,
)

# Find where an analysis does not fit a hypothesis, before data exist.


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


def plan_faults(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each fault of a plan; a plan without faults can be run."""
    faults = [
        *_repeated("Outcome", (outcome.name for outcome in plan.outcomes)),
        *_repeated("Hypothesis", (hypothesis.hypothesis_id for hypothesis in plan.hypotheses)),
        *_repeated("Description", (description.description_id for description in plan.descriptions)),
        *_repeated("Family", (family.name for family in plan.families)),
    ]
    for outcome in plan.outcomes:
        faults.extend(_plan_check_outcome_faults(outcome, variables))
    # Hypotheses about a faulty outcome would only repeat its faults.
    sound = {
        outcome.name: outcome
        for outcome in plan.outcomes
        if outcome.measure in variables.measures and not list(_plan_check_outcome_faults(outcome, variables))
    }
    for description in plan.descriptions:
        faults.extend(_description_faults(description, plan, sound, variables))
    for hypothesis in plan.hypotheses:
        faults.extend(_hypothesis_faults(hypothesis, plan, sound, variables))
    for family in plan.families:
        faults.extend(_family_faults(family, plan))
    faults.extend(_gate_faults(plan))
    return faults


def rule_faults(context: str, rule: str | None, nameable: Iterable[str]) -> Iterator[str]:
    """Yield the faults of a rule over rows: unknown names, and summaries of rows."""
    if rule is None:
        return
    known = set(nameable)
    for name in sorted(names_in(rule) - known):
        yield f"{context}: `where` names {name!r}, which does not exist. Known: {', '.join(sorted(known))}."
    for name in sorted(functions_in(rule) - ROW_FUNCTIONS):
        yield f"{context}: `where` calls {name}(), but a rule over single rows may only call abs, missing and round."


def _plan_check_outcome_faults(outcome: Outcome, variables: Variables) -> Iterator[str]:
    context = f"Outcome {outcome.name!r}"
    measure = variables.measures.get(outcome.measure)
    if outcome.measure in variables.unreadable:
        return
    if measure is None:
        known = ", ".join(variables.measures) or "none"
        yield f"{context} takes measure {outcome.measure!r}, which is not declared. Measures are: {known}."
        return
    yield from rule_faults(context, outcome.where, variables.nameable(measure.unit))
    for name in outcome.by:
        factor = variables.factors.get(name)
        if factor is None:
            yield _unknown_factor(context, "is kept apart `by`", name, variables)
        elif factor.scope == "between":
            yield f"{context}: {name!r} varies between people and is always kept; take it out of `by`."
        elif factor.scope == "question" and measure.unit == "trial":
            yield (
                f"{context} is separated `by` {name!r}, which varies over questions, but {outcome.measure!r} scores whole "
                f"trials. Give the measure over = {name!r}."
            )
    yield from (f"{context} names {name!r} twice in `by`." for name, n in Counter(outcome.by).items() if n > 1)
    if measure.unit == "session" and outcome.by:
        yield f"{context}: {outcome.measure!r} has one value per session, which `by` cannot split; leave `by` out."
    if measure.unit == "session" and outcome.summary not in ("mean", None):
        yield f"{context}: {outcome.measure!r} already has one value per session; leave `summary` out."
    if measure.unit != "session" and outcome.summary is None and outcome.by:
        yield f"{context} keeps single trials, which carry every factor; leave `by` out."
    yield from _complete_faults(context, outcome, variables)
    numeric = ("mean", "sum", "median", "min", "max", "gain")
    if measure.unit != "session" and measure.scale == "nominal" and outcome.summary in numeric:
        yield f"{context}: {outcome.measure!r} is nominal and has no {outcome.summary}. Use count, first or last."


def _complete_faults(context: str, outcome: Outcome, variables: Variables) -> Iterator[str]:
    name = outcome.complete_over
    if name is None:
        return
    factor = variables.factors.get(name)
    if factor is None:
        yield _unknown_factor(context, "takes items `complete_over`", name, variables)
    elif factor.scope != "within":
        yield f"{context} takes items complete over {name!r}, which does not vary within people. Name a within-factor."
    if not variables.has_items or variables.measures[outcome.measure].unit == "session":
        yield f"{context} takes items `complete_over` a factor, but has no single answers to items; leave it out."


def _description_faults(
    description: Description, plan: AnalysisPlan, sound: dict[str, Outcome], variables: Variables
) -> Iterator[str]:
    context = f"Description {description.description_id!r}"
    outcome = sound.get(description.outcome)
    if outcome is None:
        yield from _unknown_outcome(context, description.outcome, plan)
        return
    columns = variables.columns_of(outcome)
    yield from rule_faults(context, description.where, _row_names(outcome, variables))
    for name in description.by:
        if name not in variables.factors:
            yield _unknown_factor(context, "is grouped `by`", name, variables)
        elif name not in columns:
            yield f"{context} is grouped by {name!r}, which outcome {outcome.name!r} does not keep. Add it to its `by`."
    scale = variables.scale_of(outcome)
    if scale == "nominal":
        yield f"{context}: outcome {outcome.name!r} is nominal and has no mean. Describe a count or a share instead."
    if description.interval == "wilson" and scale != "binary":
        yield f"{context}: Wilson's interval is for binary outcomes; {outcome.name!r} is {scale}. Use t or bootstrap."
    if description.interval == "participants_and_items" and "item" not in _row_names(outcome, variables):
        yield f'{context} draws items, which outcome {outcome.name!r} does not have. Set its summary to "none".'


def _hypothesis_faults(
    hypothesis: Hypothesis, plan: AnalysisPlan, sound: dict[str, Outcome], variables: Variables
) -> Iterator[str]:
    context = f"Hypothesis {hypothesis.hypothesis_id!r}"
    for name in (hypothesis.factor, hypothesis.crossed_with):
        if name is not None and name not in variables.factors:
            yield _unknown_factor(context, "compares", name, variables)
    yield from _contrast_faults(context, hypothesis, variables)
    if hypothesis.crossed_with is not None and hypothesis.crossed_with == hypothesis.factor:
        yield f"{context} crosses {hypothesis.factor!r} with itself; name another factor in `crossed_with`."
    if hypothesis.family is not None and hypothesis.family not in {family.name for family in plan.families}:
        known = ", ".join(family.name for family in plan.families) or "none"
        yield f"{context} belongs to family {hypothesis.family!r}, which is not declared. Families are: {known}."
    yield from _other_faults(context, hypothesis, plan, sound)
    outcome = sound.get(hypothesis.outcome)
    if outcome is None:
        yield from _unknown_outcome(context, hypothesis.outcome, plan)
        return
    extra = {"other"} if hypothesis.other else set()
    yield from rule_faults(context, hypothesis.where, _row_names(outcome, variables) | extra)
    yield from choice_faults(hypothesis, outcome, plan, variables)


def _contrast_faults(context: str, hypothesis: Hypothesis, variables: Variables) -> Iterator[str]:
    if hypothesis.contrast is None:
        return
    if hypothesis.factor is None:
        yield f"{context} contrasts {' and '.join(hypothesis.contrast)}, but names no factor. Add `factor`."
        return
    factor = variables.factors.get(hypothesis.factor)
    if factor is None:
        return
    for level in dict.fromkeys(hypothesis.contrast):
        if level not in factor.levels:
            levels = ", ".join(factor.levels)
            yield f"{context} contrasts {level!r}, which is not a level of {hypothesis.factor!r}. Levels are: {levels}."
    if hypothesis.contrast[0] == hypothesis.contrast[1]:
        yield f"{context} contrasts {hypothesis.contrast[0]!r} with itself; name two different levels."


def _other_faults(context: str, hypothesis: Hypothesis, plan: AnalysisPlan, sound: dict[str, Outcome]) -> Iterator[str]:
    if hypothesis.other is None:
        return
    if hypothesis.other == hypothesis.outcome:
        yield f"{context} relates {hypothesis.outcome!r} to itself; name another outcome in `other`."
        return
    first, second = sound.get(hypothesis.outcome), sound.get(hypothesis.other)
    if second is None:
        yield from _unknown_outcome(context, hypothesis.other, plan)
    elif first is not None and set(first.by) != set(second.by):
        yield (
            f"{context} relates {first.name!r} to {second.name!r}, but they are separated by different factors "
            f"({', '.join(first.by) or 'none'}; {', '.join(second.by) or 'none'}). Give both the same `by`."
        )


def _family_faults(family: Family, plan: AnalysisPlan) -> Iterator[str]:
    n = sum(hypothesis.family == family.name for hypothesis in plan.hypotheses)
    if n == 0:
        yield f"Family {family.name!r} has no hypothesis; remove it, or name it in a hypothesis."
    elif n == 1 and family.n_tests is None and family.correction != "none":
        yield (
            f"Family {family.name!r} corrects a single hypothesis, which changes nothing. "
            "Add the others, set n_tests, or remove the family."
        )
    if family.n_tests is not None and family.n_tests < n:
        yield f"Family {family.name!r} corrects for {family.n_tests} tests, but holds {n} hypotheses. Raise n_tests."


def _gate_faults(plan: AnalysisPlan) -> Iterator[str]:
    by_id = {hypothesis.hypothesis_id: hypothesis for hypothesis in plan.hypotheses}
    for hypothesis in plan.hypotheses:
        if hypothesis.requires is not None and hypothesis.requires not in by_id:
            yield (
                f"Hypothesis {hypothesis.hypothesis_id!r} requires {hypothesis.requires!r}, which is not a hypothesis. "
                f"Hypotheses are: {', '.join(by_id)}."
            )
    decided = {h.hypothesis_id for group in correction_groups(plan) for h in group.members}
    circle = [name for name in by_id if name not in decided]
    if circle:
        yield (
            f"The hypotheses {', '.join(circle)} depend on each other: a hypothesis cannot require itself, a hypothesis "
            "that requires it, or one that is corrected in the same family. Break the circle."
        )


def _row_names(outcome: Outcome, variables: Variables) -> set[str]:
    item = {"item"} if variables.has_items and variables.unit_of(outcome) == "trial" else set()
    return {"participant", "value", *variables.columns_of(outcome)} | item


def _repeated(kind: str, names: Iterable[str]) -> Iterator[str]:
    for name, n in Counter(names).items():
        if n > 1:
            yield f"{kind} {name!r} is declared {n} times; give each its own name."


def _unknown_outcome(context: str, name: str, plan: AnalysisPlan) -> Iterator[str]:
    known = [outcome.name for outcome in plan.outcomes]
    if name not in known:
        yield f"{context} takes outcome {name!r}, which is not declared. Outcomes are: {', '.join(known)}."


def _unknown_factor(context: str, how: str, name: str, variables: Variables) -> str:
    known = ", ".join(variables.factors) or "none"
    return f"{context} {how} {name!r}, which is not a factor. Factors are: {known}."
