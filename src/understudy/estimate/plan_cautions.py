"""Cautions: plans that can be run, but whose words or analyses lead to claims that the data do not support."""

from understudy.estimate.choices import analyses_in, analysis_from_ref
from understudy.estimate.claim_words import word_cautions
from understudy.estimate.variables import Variables
from understudy.roles import HasCautions, PlannedData
from understudy.schema import AnalysisPlan, Hypothesis


def plan_cautions(plan: AnalysisPlan, variables: Variables) -> list[str]:
    """Return one sentence for each reason to change a sound plan."""
    by_analysis = (
        f"Hypothesis {hypothesis.hypothesis_id!r} uses {ref.name!r}. {sentence}"
        for hypothesis in plan.hypotheses
        for ref in analyses_in(hypothesis.analysis)
        if isinstance(analysis := analysis_from_ref(ref, hypothesis, plan), HasCautions)
        for sentence in analysis.cautions(hypothesis, _planned(hypothesis, plan, variables))
    )
    return list(dict.fromkeys((*word_cautions(plan, variables), *by_analysis)))


def _planned(hypothesis: Hypothesis, plan: AnalysisPlan, variables: Variables) -> PlannedData:
    outcome = next(outcome for outcome in plan.outcomes if outcome.name == hypothesis.outcome)
    return PlannedData(
        scale=variables.scale_of(outcome),
        unit=variables.unit_of(outcome),
        scopes={name: factor.scope for name, factor in variables.factors.items()},
        has_items=variables.has_items,
    )
