"""A wrong plan is refused before data exist, each fault in one sentence that names it."""

from typing import Any

import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, plan, results
from understudy.errors import PlanError
from understudy.estimate import plan_faults
from understudy.schema import AnalysisPlan, Description, Family

BY_PHASE = (outcome(by=("phase",)),)
TRIALS = (outcome(summary=None),)
TIMES = (outcome(), outcome("time", "rt"))


def described(**fields: Any) -> AnalysisPlan:
    return plan(descriptions=(Description(description_id="d", outcome="accuracy", **fields),))


def changing(**params: str) -> AnalysisPlan:
    change = {"name": "change", "params": params}
    return plan(hypothesis(factor="phase", analysis=change), outcomes=TRIALS)


FAULTY: dict[str, tuple[AnalysisPlan, str]] = {
    "parameter that names no factor": (changing(between="arm", level="lime"), "reads 'arm', which is not a factor"),
    "parameter that names no level": (changing(between="method", level="none at all"), "not a level of 'method'"),
    "parameter that names no second level": (
        changing(between="method", level="lime", reference="control"),
        "reads 'control', which is not a level of 'method'. Levels are: lime, shap, none",
    ),
    "items of people's means": (described(interval="participants_and_items"), "draws items, which outcome 'accuracy'"),
    "unknown measure": (plan(outcomes=(outcome(measure="speed"),)), "takes measure 'speed', which is not declared"),
    "outcome twice": (plan(outcomes=(outcome(), outcome())), "Outcome 'accuracy' is declared 2 times"),
    "unknown name in where": (plan(outcomes=(outcome(where="colour == 'red'"),)), "names 'colour'"),
    "session measure in a rule over trials": (plan(outcomes=(outcome(where="total > 1"),)), "names 'total'"),
    "summary in where": (plan(outcomes=(outcome(where="rt > mean(rt)"),)), "calls mean()"),
    "unknown factor in by": (plan(outcomes=(outcome(by=("stage",)),)), "'stage', which is not a factor"),
    "between factor in by": (plan(outcomes=(outcome(by=("help",)),)), "varies between people and is always kept"),
    "factor twice in by": (plan(outcomes=(outcome(by=("phase", "phase")),)), "names 'phase' twice"),
    "session measure split": (plan(outcomes=(outcome(measure="total", by=("phase",)),)), "one value per session"),
    "session measure summed": (plan(outcomes=(outcome(measure="total", summary="sum"),)), "leave `summary` out"),
    "single trials split": (plan(outcomes=(outcome(summary=None, by=("phase",)),)), "keeps single trials"),
    "complete over nothing known": (
        plan(outcomes=(outcome(complete_over="stage"),)),
        "takes items `complete_over` 'stage', which is not a factor",
    ),
    "complete over people": (
        plan(outcomes=(outcome(complete_over="help"),)),
        "'help', which does not vary within people",
    ),
    "complete over a session measure": (
        plan(outcomes=(outcome(measure="total", complete_over="phase"),)),
        "has no single answers to items",
    ),
    "mean of words": (plan(outcomes=(outcome(measure="word"),)), "is nominal and has no mean"),
    "description of nothing": (
        plan(descriptions=(Description(description_id="d", outcome="speed"),)),
        "takes outcome 'speed', which is not declared",
    ),
    "description twice": (
        plan(descriptions=(Description(description_id="d", outcome="accuracy"),) * 2),
        "Description 'd' is declared 2 times",
    ),
    "description by an unknown factor": (described(by=("stage",)), "is grouped `by` 'stage'"),
    "description by a lost factor": (described(by=("phase",)), "outcome 'accuracy' does not keep"),
    "Wilson of a mean": (described(interval="wilson"), "Wilson's interval is for binary outcomes"),
    "hypothesis twice": (plan(hypothesis(), hypothesis()), "Hypothesis 'h' is declared 2 times"),
    "unknown outcome": (plan(hypothesis(outcome="speed")), "takes outcome 'speed'"),
    "unknown factor": (plan(hypothesis(factor="stage")), "compares 'stage', which is not a factor"),
    "unknown level": (plan(hypothesis(factor="help", contrast=("with", "maybe"))), "contrasts 'maybe'"),
    "level against itself": (plan(hypothesis(factor="help", contrast=("with", "with"))), "with itself"),
    "contrast without factor": (plan(hypothesis(contrast=("with", "without"))), "names no factor"),
    "unknown name in a hypothesis": (plan(hypothesis(where="phase == 'after'")), "names 'phase'"),
    "unknown analysis": (plan(hypothesis(analysis="t_test")), "'t_test' is not among the analyses"),
    "wrong parameter": (plan(hypothesis(analysis={"name": "fixed", "params": {"q": 1}})), "do not fit"),
    "unknown check": (
        plan(hypothesis(analysis={"check": "normal", "if_holds": "fixed", "if_fails": "fixed"})),
        "'normal' is not among the checks",
    ),
    "unknown analysis in a branch": (
        plan(hypothesis(analysis={"check": "says", "if_holds": "fixed", "if_fails": "t_test"})),
        "'t_test' is not among the analyses",
    ),
    "wrong scale": (
        plan(hypothesis(analysis="difference", factor="help"), outcomes=(outcome(measure="liking"),)),
        "'accuracy' is ordinal",
    ),
    "single trials for a test of people": (
        plan(hypothesis(analysis="paired", factor="phase"), outcomes=TRIALS),
        "needs one number per participant",
    ),
    "summary for a model of trials": (plan(hypothesis(analysis="items", factor="help")), "needs single trials"),
    "paired over a between factor": (plan(hypothesis(analysis="paired", factor="help")), "varies between people"),
    "unpaired over a within factor": (
        plan(hypothesis(analysis="difference", factor="phase"), outcomes=BY_PHASE),
        "varies within people",
    ),
    "no factor": (plan(hypothesis(analysis="difference")), "name it in `factor`"),
    "factor too many": (plan(hypothesis(analysis="against", against=0.5, factor="help")), "leave `factor` out"),
    "three levels for a test of two": (plan(hypothesis(analysis="difference", factor="method")), "lime, shap, none"),
    "contrast for an omnibus test": (
        plan(hypothesis(analysis="omnibus", factor="method", contrast=("lime", "shap"))),
        "leave `contrast` out",
    ),
    "one-sided omnibus test": (
        plan(hypothesis(analysis="omnibus", factor="method", direction="greater")),
        "can show different, but not 'greater'",
    ),
    "equivalence by another test": (plan(hypothesis(direction="equivalent")), "but not 'equivalent'"),
    "factor not kept apart": (plan(hypothesis(analysis="paired", factor="phase")), "Add it to `by`"),
    "rows multiplied": (
        plan(hypothesis(analysis="difference", factor="help"), outcomes=BY_PHASE),
        "has a row for each 'phase' too",
    ),
    "second factor missing": (plan(hypothesis(analysis="crossed", factor="help")), "name it in `crossed_with`"),
    "second factor between": (
        plan(hypothesis(analysis="crossed", factor="help", crossed_with="method")),
        "needs `crossed_with` to vary within people",
    ),
    "second factor too many": (plan(hypothesis(factor="help", crossed_with="method")), "leave `crossed_with` out"),
    "factor crossed with itself": (plan(hypothesis(factor="help", crossed_with="help")), "with itself"),
    "nothing to hold against": (plan(hypothesis(analysis="against")), "give the value in `against`"),
    "a value for a comparison of levels": (
        plan(hypothesis(analysis="difference", factor="help", against=0.5)),
        "leave `against` out",
    ),
    "nothing to relate to": (plan(hypothesis(analysis="relation")), "name the second in `other`"),
    "second outcome too many": (plan(hypothesis(other="time"), outcomes=TIMES), "leave `other` out"),
    "related to itself": (plan(hypothesis(analysis="relation", other="accuracy")), "to itself"),
    "related to nothing": (plan(hypothesis(analysis="relation", other="speed")), "takes outcome 'speed'"),
    "related across cells": (
        plan(hypothesis(analysis="relation", other="time"), outcomes=(outcome(), outcome("time", "rt", by=("phase",)))),
        "Give both the same `by`",
    ),
    "unknown family": (plan(hypothesis(family="f")), "family 'f', which is not declared"),
    "family of none": (plan(families=(Family(name="f"),)), "has no hypothesis"),
    "family of one": (plan(hypothesis(family="f"), families=(Family(name="f"),)), "corrects a single hypothesis"),
    "family twice": (plan(families=(Family(name="f"),) * 2), "Family 'f' is declared 2 times"),
    "family too small": (
        plan(hypothesis("a", family="f"), hypothesis("b", family="f"), families=(Family(name="f", n_tests=1),)),
        "corrects for 1 tests, but holds 2",
    ),
    "unknown gate": (plan(hypothesis(requires="g")), "requires 'g', which is not a hypothesis"),
    "gate on itself": (plan(hypothesis(requires="h")), "depend on each other"),
    "circle of gates": (
        plan(hypothesis("a", requires="b"), hypothesis("b", requires="a")),
        "a, b depend on each other",
    ),
    "gate in its own family": (
        plan(hypothesis("a", family="f"), hypothesis("b", family="f", requires="a"), families=(Family(name="f"),)),
        "corrected in the same family",
    ),
}


@pytest.mark.parametrize("case", FAULTY)
def test_a_faulty_plan_is_refused_in_one_clear_sentence(case: str) -> None:
    faulty, expected = FAULTY[case]
    faults = plan_faults(faulty, VARIABLES)
    assert [fault for fault in faults if expected in fault], faults
    assert all(fault.endswith((".", "`.")) for fault in faults)


def test_all_faults_come_at_once() -> None:
    faulty = plan(hypothesis("a", factor="x"), hypothesis("b", outcome="y"), hypothesis("c", analysis="z"))
    assert len(plan_faults(faulty, VARIABLES)) == 3


def test_a_sound_plan_has_no_faults() -> None:
    sound = plan(
        hypothesis("a", analysis="difference", factor="help", direction="greater"),
        hypothesis("b", analysis="paired", outcome="by_phase", factor="phase", requires="a"),
        hypothesis("c", analysis="difference", outcome="by_phase", factor="help", where="phase == 'after'"),
        hypothesis("d", analysis="items", outcome="trials", factor="kind"),
        hypothesis("e", analysis="relation", other="time"),
        outcomes=(outcome(), outcome("by_phase", by=("phase",)), outcome("trials", summary=None), TIMES[1]),
    )
    assert plan_faults(sound, VARIABLES) == []


def test_a_faulty_plan_never_runs() -> None:
    with pytest.raises(PlanError, match="'t_test' is not among the analyses"):
        results(plan(hypothesis(analysis="t_test")))
