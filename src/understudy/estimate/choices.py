"""Choices: which analysis a declared decision tree leads to, what it assumes, and what it estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from understudy import registry
from understudy.deferred.pandas import pd
from understudy.roles import Analysis, AssumptionCheck, HasEstimand
from understudy.schema import AnalysisChoice, AnalysisPlan, Check, CheckResult, Hypothesis, Ref

# Check what an analysis assumes on the rows that it ran on, for readers to judge.

ALPHA = 0.05
_MOST_ROWS = 5000
"""Beyond this many rows every check fails on differences that do not matter, and Shapiro & Wilk's p is unknown."""


def checked_assumptions(analysis: Analysis, rows: pd.DataFrame, hypothesis: Hypothesis) -> tuple[CheckResult, ...]:
    """Return the outcome of each check that the analysis names; a check that cannot be made on these rows is left out."""
    if len(rows) > _MOST_ROWS:
        return ()
    if analysis.fit.rows == "all":
        hypothesis = hypothesis.model_copy(update={"contrast": None})
    results = []
    for ref in getattr(analysis, "assumes", ()):
        check: AssumptionCheck = registry.create("checks", ref)
        try:
            found = check.check(rows, hypothesis, ALPHA)
        except Warning:
            raise
        except Exception:  # noqa: S112 - a check that fails takes nothing with it
            # Too few values for a check are no reason to refuse the analysis, which decided that for itself.
            continue
        results.append(
            CheckResult(check=ref.name, statistic=found.statistic, p_value=found.p_value, holds=found.holds, led_to="")
        )
    return tuple(results)


@dataclass(frozen=True)
class ChosenAnalysis:
    """The analysis at the end of the tree, and every branch taken."""

    analysis: Ref
    checks: tuple[CheckResult, ...]


@dataclass(frozen=True)
class TestedRows:
    """The rows of a hypothesis, and those that also have the levels outside its contrast."""

    __test__ = False  # pytest would take the name for a test

    hypothesis: Hypothesis
    contrasted: pd.DataFrame
    of_all_levels: Callable[[], pd.DataFrame]

    def for_levels(self, levels: Literal["contrasted", "all"]) -> pd.DataFrame:
        """Return the rows of the contrast, or of every level."""
        return self.contrasted if levels == "contrasted" else self.of_all_levels()


def choose_analysis(choice: AnalysisChoice, tested: TestedRows) -> ChosenAnalysis:
    """Run the checks of a tree on the rows until an analysis is reached."""
    checks: list[CheckResult] = []
    while isinstance(choice, Check):
        check: AssumptionCheck = registry.create("checks", choice.check)
        hypothesis = tested.hypothesis
        if choice.levels == "all":
            hypothesis = hypothesis.model_copy(update={"contrast": None})
        result = check.check(tested.for_levels(choice.levels), hypothesis, choice.alpha)
        name, choice = choice.check.name, choice.if_holds if result.holds else choice.if_fails
        checks.append(
            CheckResult(
                check=name,
                statistic=result.statistic,
                p_value=result.p_value,
                holds=result.holds,
                led_to=label_of(choice),
            )
        )
    return ChosenAnalysis(choice, tuple(checks))


def analyses_in(choice: AnalysisChoice) -> Iterator[Ref]:
    """Yield every analysis a tree can lead to."""
    if isinstance(choice, Check):
        yield from analyses_in(choice.if_holds)
        yield from analyses_in(choice.if_fails)
    else:
        yield choice


def checks_in(choice: AnalysisChoice) -> Iterator[Check]:
    """Yield every check of a tree."""
    if isinstance(choice, Check):
        yield choice
        yield from checks_in(choice.if_holds)
        yield from checks_in(choice.if_fails)


def label_of(choice: AnalysisChoice) -> str:
    """Return the name of what a branch leads to."""
    return choice.check.name if isinstance(choice, Check) else choice.name


def analysis_from_ref(ref: Ref, hypothesis: Hypothesis, plan: AnalysisPlan) -> Analysis:
    """Build an analysis; confidence level and alpha come from the plan unless the reference sets them."""
    fields = registry.entry("analyses", ref.name).model_fields
    offered: dict[str, Any] = {"confidence": plan.confidence, "alpha": alpha_of(hypothesis, plan)}
    # Parameters of the reference win over those of the plan.
    shared = {name: value for name, value in offered.items() if name in fields}
    analysis: Analysis = registry.create("analyses", Ref(name=ref.name, params=shared | ref.params))
    return analysis


def alpha_of(hypothesis: Hypothesis, plan: AnalysisPlan) -> float:
    """Return the error rate that applies to a hypothesis."""
    return plan.alpha if hypothesis.alpha is None else hypothesis.alpha


# Estimands: what an analysis estimates, and what changes when a decision tree leads to another analysis.


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
