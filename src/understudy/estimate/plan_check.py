"""Find every fault of a plan before data exist, one sentence each."""

from collections import Counter
from collections.abc import Iterable, Iterator

from understudy.estimate.corrections import correction_groups
from understudy.estimate.fit_check import choice_faults
from understudy.estimate.variables import Variables
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


def plan_faults(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each fault of a plan; a plan without faults can be run."""
    faults = [
        *_repeated("Outcome", (outcome.name for outcome in plan.outcomes)),
        *_repeated("Hypothesis", (hypothesis.hypothesis_id for hypothesis in plan.hypotheses)),
        *_repeated("Description", (description.description_id for description in plan.descriptions)),
        *_repeated("Family", (family.name for family in plan.families)),
    ]
    for outcome in plan.outcomes:
        faults.extend(_outcome_faults(outcome, variables))
    # Hypotheses about a faulty outcome would only repeat its faults.
    sound = {
        outcome.name: outcome
        for outcome in plan.outcomes
        if outcome.measure in variables.measures and not list(_outcome_faults(outcome, variables))
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


def _outcome_faults(outcome: Outcome, variables: Variables) -> Iterator[str]:
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
