"""Cautions: plans that can be run, but whose words or analyses lead to claims that the data do not support."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.claim_words import word_cautions
from understudy.estimate.variables import Variables
from understudy.roles import Analysis, HasCautions, PlannedData, SamplesItems
from understudy.schema import AnalysisPlan, Hypothesis
from understudy.schema.claims import shared_outcomes

_GENERALIZE = (
    "To speak of other items, keep single answers and choose a model with random effects of items: linear_mixed, "
    'logistic_mixed or ordinal_mixed with random = "maximal".'
)


@dataclass
class ItemFacts:
    """What belongs to the items of an outcome, because it never varies between people's answers to one item."""

    n_items: int = 0
    fixed: frozenset[str] = frozenset()
    """Factors, and "value" for the outcome itself."""
    column: str = ""
    """The column that tells items apart, if the description of the table does not name it."""


def plan_cautions(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each reason to change a sound plan."""
    by_analysis = (
        f"Hypothesis {hypothesis.hypothesis_id!r} uses {ref.name!r}. {sentence}"
        for hypothesis in plan.hypotheses
        for ref in analyses_in(hypothesis.analysis)
        for sentence in _of_analysis(hypothesis, analysis_from_ref(ref, hypothesis, plan), plan, variables)
    )
    return list(dict.fromkeys((*word_cautions(plan, variables), *shared_outcomes(plan), *by_analysis)))


def _of_analysis(hypothesis: Hypothesis, analysis: Analysis, plan: AnalysisPlan, variables: Variables) -> Iterator[str]:
    if isinstance(analysis, HasCautions):
        yield from analysis.cautions(hypothesis, _planned(hypothesis, plan, variables))
    caution = item_caution(hypothesis, analysis, plan, variables)
    if caution:
        yield caution


def item_caution(
    hypothesis: Hypothesis,
    analysis: Analysis,
    plan: AnalysisPlan,
    variables: Variables,
    facts: Mapping[str, ItemFacts] | None = None,
) -> str:
    """Return that an analysis takes the items as all there are although they decide what is compared; empty if not.

    A factor of scope `item` is one by the plan. `facts` are those of the data, by outcome: factors and second outcomes
    that never vary within an item, whatever the plan says of them.
    """
    outcomes = {outcome.name: outcome for outcome in plan.outcomes}
    outcome, known = outcomes[hypothesis.outcome], facts or {}
    if isinstance(analysis, SamplesItems) and analysis.samples_items and variables.unit_of(outcome) == "trial":
        return ""
    of_outcome = known.get(outcome.name, ItemFacts())
    factors = [hypothesis.factor, hypothesis.crossed_with, *(name for name, _ in analysis.fit.reads)]
    factors = [name for name in dict.fromkeys(factors) if name in variables.factors]
    named = [
        repr(name) for name in factors if name and (variables.factors[name].scope == "item" or name in of_outcome.fixed)
    ]
    others = dict.fromkeys(name for name in (hypothesis.other, *analysis.fit.covariates) if name in outcomes)
    named += [repr(name) for name in others if name is not None and "value" in known.get(name, ItemFacts()).fixed]
    if "value" in of_outcome.fixed:
        named.append(repr(outcome.name))
    if not named:
        return ""
    counted = f"the {of_outcome.n_items} items" if of_outcome.n_items else "the items"
    by = f" (column {of_outcome.column!r})" if of_outcome.column else ""
    differ = "differs" if len(named) == 1 else "differ"
    return (
        f"{' and '.join(named)} {differ} between items{by} and not within them, but the analysis takes {counted} as all there "
        f"are. The verdict holds for these items only: how items happen to differ is enough to produce it. {_GENERALIZE}"
    )


def _planned(hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> PlannedData:
    outcome = next(outcome for outcome in plan.outcomes if outcome.name == hypothesis.outcome)
    return PlannedData(
        scale=variables.scale_of(outcome),
        unit=variables.unit_of(outcome),
        scopes={name: factor.scope for name, factor in variables.factors.items()},
        has_items=variables.has_items,
    )
