"""Walks a declared decision tree down to the analysis that runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from understudy import registry
from understudy.roles import Analysis, AssumptionCheck
from understudy.schema import AnalysisChoice, AnalysisPlan, Check, CheckResult, Hypothesis, Ref


@dataclass(frozen=True)
class Chosen:
    """The analysis at the end of the walk, and every branch taken."""

    analysis: Ref
    checks: tuple[CheckResult, ...]


def choose_analysis(choice: AnalysisChoice, rows: pd.DataFrame, hypothesis: Hypothesis) -> Chosen:
    """Run the checks of a tree on the rows until an analysis is reached."""
    checks: list[CheckResult] = []
    while isinstance(choice, Check):
        check: AssumptionCheck = registry.create("checks", choice.check)
        found = check.check(rows, hypothesis, choice.alpha)
        name, choice = choice.check.name, choice.if_holds if found.holds else choice.if_fails
        checks.append(
            CheckResult(
                check=name, statistic=found.statistic, p_value=found.p_value, holds=found.holds, led_to=label_of(choice)
            )
        )
    return Chosen(choice, tuple(checks))


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
    """Name what a branch leads to."""
    return choice.check.name if isinstance(choice, Check) else choice.name


def analysis_from_ref(ref: Ref, hypothesis: Hypothesis, plan: AnalysisPlan) -> Analysis:
    """Build an analysis; confidence level and alpha come from the plan unless the plan file sets them here."""
    fields = registry.entry("analyses", ref.name).model_fields
    offered: dict[str, Any] = {"confidence": plan.confidence, "alpha": alpha_of(hypothesis, plan)}
    shared = {name: value for name, value in offered.items() if name in fields}
    made: Analysis = registry.create("analyses", Ref(name=ref.name, params=shared | ref.params))
    return made


def alpha_of(hypothesis: Hypothesis, plan: AnalysisPlan) -> float:
    """Return the error rate a hypothesis is held to."""
    return plan.alpha if hypothesis.alpha is None else hypothesis.alpha
