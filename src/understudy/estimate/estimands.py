"""Estimands: what an analysis estimates, and what changes when a decision tree leads to another analysis."""

from understudy.estimate.choices import analysis_from_ref
from understudy.roles import HasEstimand
from understudy.schema import AnalysisChoice, AnalysisPlan, Check, Hypothesis, Ref


def estimand_of(ref: Ref, hypothesis: Hypothesis, plan: AnalysisPlan) -> str:
    """Return what an analysis estimates; empty if it does not say."""
    analysis = analysis_from_ref(ref, hypothesis, plan)
    return analysis.estimand if isinstance(analysis, HasEstimand) else ""


def changed_estimand(chosen: Ref, hypothesis: Hypothesis, plan: AnalysisPlan) -> str:
    """Say that failed checks led to an analysis with another estimand; empty if they did not."""
    usual = _if_all_holds(hypothesis.analysis)
    first, now = (estimand_of(ref, hypothesis, plan) for ref in (usual, chosen))
    if not first or not now or first == now:
        return ""
    return (
        f"The checks changed the estimand: {chosen.name} estimates {now}; if the assumptions had held, {usual.name} would have "
        f"estimated {first}."
    )


def _if_all_holds(choice: AnalysisChoice) -> Ref:
    return _if_all_holds(choice.if_holds) if isinstance(choice, Check) else choice
