"""Directions: an effect against its claim is never support, whichever analysis found it and however many sides it has."""

from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd
import pytest

from tests.estimate.plan_samples import ENTRIES as TOYS
from understudy import registry
from understudy.analyses.model_design import ShownShares
from understudy.errors import PlanError
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Tables, Variables, findings_from_tables
from understudy.roles import Fit
from understudy.schema import AnalysisPlan, Estimate, Family, Finding, Hypothesis, Outcome, Record, Ref

Direction: TypeAlias = Literal["greater", "less"]
OTHER: dict[Direction, Direction] = {"greater": "less", "less": "greater"}
N_PEOPLE, N_ITEMS = 48, 4
BETWEEN = {"factor": "group", "contrast": ("a", "b")}
WITHIN = {"factor": "phase", "contrast": ("after", "before")}
LATER = {"where": "phase == 'after'"}
VARIABLES = Variables(
    measures={
        "score": MeasureVariable("trial", "continuous"),
        "right": MeasureVariable("trial", "binary"),
        "rating": MeasureVariable("trial", "continuous"),
        "label": MeasureVariable("trial", "binary"),
        "stars": MeasureVariable("trial", "ordinal"),
        "yes": MeasureVariable("trial", "binary"),
        "sure": MeasureVariable("trial", "binary"),
        "decided": MeasureVariable("trial", "binary"),
        "signal": MeasureVariable("trial", "binary"),
        "stated": MeasureVariable("trial", "bounded"),
        "errors": MeasureVariable("trial", "count"),
        "seconds": MeasureVariable("trial", "time"),
        "age": MeasureVariable("trial", "continuous"),
    },
    factors={
        "group": FactorVariable("between", ("a", "b")),
        "phase": FactorVariable("within", ("before", "after")),
        "third": FactorVariable("between", ("x", "y", "z")),
    },
    has_items=True,
    columns=frozenset(),
)
OUTCOMES = (
    Outcome(name="score", measure="score"),
    Outcome(name="score_by_phase", measure="score", by=("phase",)),
    Outcome(name="scores", measure="score", summary=None),
    Outcome(name="right_by_phase", measure="right", by=("phase",), summary="first"),
    Outcome(name="answers", measure="right", summary=None),
    Outcome(name="label_answers", measure="label", summary=None),
    Outcome(name="ratings", measure="rating", summary=None),
    Outcome(name="stars", measure="stars", summary=None),
    Outcome(name="rating", measure="rating"),
    Outcome(name="first_answer", measure="right", summary="first"),
    Outcome(name="first_label", measure="label", summary="first"),
    Outcome(name="first_sure", measure="sure", summary="first"),
    Outcome(name="decisions", measure="decided", summary=None),
    Outcome(name="yeses", measure="yes", summary=None),
    Outcome(name="signals", measure="signal", summary=None),
    Outcome(name="stated", measure="stated", summary=None),
    Outcome(name="errors", measure="errors", summary="sum"),
    Outcome(name="seconds", measure="seconds"),
    Outcome(name="age", measure="age"),
)
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("independent_t", {"outcome": "score", **BETWEEN}),
    ("welch_t", {"outcome": "score", **BETWEEN}),
    ("planned_contrast", {"outcome": "score", **BETWEEN}),
    ("rank_sum", {"outcome": "score", **BETWEEN}),
    ("dunn", {"outcome": "score", **BETWEEN}),
    ("fisher", {"outcome": "first_answer", **BETWEEN}),
    ("paired_t", {"outcome": "score_by_phase", **WITHIN}),
    ("signed_rank", {"outcome": "score_by_phase", **WITHIN}),
    ("signed_rank", {"outcome": "score", "against": 5.0}),
    ("one_sample_t", {"outcome": "score", "against": 5.0}),
    ("participant_bootstrap", {"outcome": "score", "against": 5.0}),
    ("participant_bootstrap", {"outcome": "score", **BETWEEN}),
    ("two_way_bootstrap", {"outcome": "scores", **BETWEEN, **LATER}),
    ("two_way_bootstrap", {"outcome": "scores", "against": 5.0, **LATER}),
    ("linear_mixed", {"outcome": "scores", **BETWEEN, **LATER}),
    ("linear_mixed", {"outcome": "scores", "against": 5.0, **LATER}),
    ("logistic_mixed", {"outcome": "answers", **BETWEEN}),
    ("logistic_mixed", {"outcome": "label_answers", "against": 0.4}),
    ("ordinal_mixed", {"outcome": "stars", **BETWEEN}),
    ("logistic_regression", {"outcome": "first_answer", **BETWEEN}),
    ("mcnemar", {"outcome": "right_by_phase", **WITHIN}),
    ("change", {"outcome": "answers", **WITHIN}),
    ("rating_gain", {"outcome": "answers", "other": "ratings"}),
    ("pearson", {"outcome": "score", "other": "rating"}),
    ("spearman", {"outcome": "score", "other": "rating"}),
    ("clustered_correlation", {"outcome": "ratings", "other": "answers"}),
    ("kappa", {"outcome": "first_answer", "other": "first_label"}),
    ("ancova", {"outcome": "score", "other": "age", **BETWEEN}),
    ("bayes_t", {"outcome": "score_by_phase", **WITHIN}),
    ("bayes_t", {"outcome": "score", **BETWEEN}),
    ("bayes_correlation", {"outcome": "score", "other": "rating"}),
    ("bayes_proportion", {"outcome": "first_sure", "against": 0.5}),
    ("calibration", {"outcome": "answers", "other": "stated", **BETWEEN}),
    ("cluster_robust", {"outcome": "answers", **BETWEEN}),
    ("count_regression", {"outcome": "errors", **BETWEEN}),
    ("complementarity", {"outcome": "score", **BETWEEN}),
    ("reliance", {"outcome": "decisions", "other": "signals", **WITHIN}),
    ("log_time", {"outcome": "seconds", **BETWEEN}),
    ("signal_detection", {"outcome": "yeses", "other": "signals", **BETWEEN}),
)
RESAMPLED = {"clustered_correlation", "participant_bootstrap", "two_way_bootstrap", "change", "rating_gain"}
NEVER_TESTED = {"mean", "proportion"}
PARAMS: dict[str, dict[str, Any]] = {
    "complementarity": {"model_score": 5.0},
    "reliance": {"index": "gain", "between": "group", "groups": ["a", "b"]},
}
"""Analyses that estimate without a p-value."""


@cache
def tables(way: Direction) -> Tables:
    """Make people with whom everything points one way: group a over b, after over before, all above a middle."""
    rng = np.random.default_rng(4)
    sign = 1 if way == "greater" else -1
    rows = []
    for person in range(N_PEOPLE):
        group, start, talent = "ab"[person % 2], rng.normal(), rng.normal()
        for item in range(N_ITEMS):
            for phase in ("before", "after"):
                lift = 0.7 * (1 if group == "a" else -1) + 0.5 * (1 if phase == "after" else -1)
                right = float(rng.random() < 1 / (1 + np.exp(-sign * 1.9 * lift)))
                rows.append({
                    "participant": f"p{person:02d}", "item": f"i{item}", "group": group, "phase": phase,
                    "third": "xyz"[person % 3],
                    "score": 5 + sign * (1 + lift + 0.8 * talent) + 0.2 * start + 0.2 * rng.normal(),
                    "right": right,
                    "rating": 4 + talent + (right if sign > 0 else 1 - right) + 0.4 * rng.normal(),
                    "label": float(rng.random() < 0.4 + 0.35 * sign) if rng.random() < 0.5 else right if sign > 0 else 1 - right,
                })  # fmt: skip
    trials = pd.DataFrame(rows)
    trials["label"] = trials["label"].where(trials.index % 5 > 0, trials["right"] if sign > 0 else 1 - trials["right"])
    trials["stars"] = trials["score"].round().clip(2, 8)
    is_a, signal = trials["group"] == "a", (trials["item"].isin(("i0", "i1"))).astype(float)
    more = np.random.default_rng(5)
    trials = trials.assign(
        signal=signal,
        decided=(
            more.random(len(trials))
            < np.where(trials["phase"] == "before", 0.5, np.where(is_a == (sign > 0), 0.85, 0.15))
        ),
        sure=(more.random(len(trials)) < 0.5 + 0.4 * sign).astype(float),
        yes=np.where(trials["right"] == 1, signal, 1 - signal),
        stated=np.where(is_a == (sign > 0), 0.97, 0.03),
        errors=more.poisson(np.where(is_a == (sign > 0), 4, 1)).astype(float),
        seconds=np.exp(trials["score"] / 3),
        age=more.normal(40, 5, N_PEOPLE).repeat(2 * N_ITEMS),
    )
    trials["decided"] = trials["decided"].astype(float)
    sessions = trials[["participant", "group", "third"]].drop_duplicates().reset_index(drop=True)
    return Tables(trials, sessions)


def hypothesis(analysis: str, fields: dict[str, Any], **more: Any) -> Hypothesis:
    params = PARAMS.get(analysis, {}) | ({"n_resamples": 400} if analysis in RESAMPLED else {})
    drawn = {"name": analysis, "params": params} if params else analysis
    return Hypothesis.model_validate({"hypothesis_id": "h", "claim": "It helps.", "analysis": drawn, **fields, **more})


def finding(*hypotheses: Hypothesis, data: Direction, families: tuple[Family, ...] = ()) -> Finding:
    # The rows of an outcome cost more than most tests of it, so that others are left out.
    needed = {name for claim in hypotheses for name in (claim.outcome, claim.other)}
    outcomes = tuple(outcome for outcome in OUTCOMES if outcome.name in needed)
    plan = AnalysisPlan(outcomes=outcomes, hypotheses=hypotheses, families=families)
    under = Collected("a" * 64, frozenset({"a" * 64}))
    found = findings_from_tables(plan, tables(data), VARIABLES, collected=under, rng=np.random.default_rng(1))
    return found.findings[0]


def test_every_analysis_that_can_have_a_direction_is_tried() -> None:
    entries = {
        name: registry.create("analyses", Ref(name=name, params=PARAMS.get(name, {})))
        for name in registry.names("analyses")
        if not name.endswith("tost")
    }
    directed = {
        name for name, entry in entries.items() if ("analyses", name) not in TOYS and "greater" in entry.fit.directions
    }
    assert directed - NEVER_TESTED == {name for name, _ in CASES}


@pytest.mark.parametrize("data", ["greater", "less"])
@pytest.mark.parametrize("sides", ["one", "two"])
@pytest.mark.parametrize(("analysis", "fields"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_the_way_of_the_effect_decides_between_support_and_opposite(
    analysis: str, fields: dict[str, Any], sides: str, data: Direction
) -> None:
    way = "direction" if sides == "one" else "expects"
    claimed = finding(hypothesis(analysis, fields, **{way: data}), data=data)
    reversed_claim = finding(hypothesis(analysis, fields, **{way: OTHER[data]}), data=data)
    assert (claimed.verdict, reversed_claim.verdict) == ("supported", "opposite")


@pytest.mark.parametrize(("n_tests", "verdict"), [(2, "opposite"), (10**60, "not_supported")])
def test_a_family_corrects_the_reversed_claim_too(n_tests: int, verdict: str) -> None:
    family = Family(name="f", correction="bonferroni", n_tests=n_tests)
    one = hypothesis("welch_t", {"outcome": "score", **BETWEEN}, direction="greater", family="f")
    found = finding(one, data="less", families=(family,))
    assert found.verdict == verdict
    # The p-value of the claim is near 1, so the one that decided is told.
    assert any("The reversed claim has p < .0001, after the same correction." in text for text in found.why) == (
        n_tests == 2
    )


def test_an_opposite_gate_stays_closed() -> None:
    gate = hypothesis("welch_t", {"outcome": "score", **BETWEEN}, expects="greater")
    late = hypothesis("welch_t", {"outcome": "score", **BETWEEN}, expects="less", hypothesis_id="late", requires="h")
    assert finding(late, gate, data="less").verdict == "not_tested"


def test_an_equivalence_test_has_no_opposite() -> None:
    bounds = {"name": "tost", "params": {"low": -0.1, "high": 0.1}}
    plain = {"hypothesis_id": "h", "claim": "They are alike.", "analysis": bounds, "outcome": "score", **BETWEEN}
    one = Hypothesis.model_validate({**plain, "direction": "equivalent"})
    assert finding(one, data="less").verdict == "not_supported"


def test_a_claim_without_a_direction_is_supported_either_way() -> None:
    one = hypothesis("welch_t", {"outcome": "score", **BETWEEN})
    assert {finding(one, data="less").verdict, finding(one, data="greater").verdict} == {"supported"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"analysis": "welch_t", **BETWEEN, "direction": "greater"}, "`expects` is for two-sided tests"),
        ({"analysis": "oneway_anova", "factor": "third"}, "has no direction here"),
        ({"analysis": "linear_mixed", "factor": "third", "outcome": "scores"}, "has no direction here"),
    ],
)
def test_an_expectation_that_no_test_can_meet_is_refused(fields: dict[str, Any], said: str) -> None:
    plain = {"hypothesis_id": "h", "claim": "It helps.", "outcome": "score", "expects": "greater", **fields}
    with pytest.raises(PlanError, match=said):
        finding(Hypothesis.model_validate(plain), data="less")


def test_a_verdict_says_that_it_rests_on_a_simpler_model_and_there_is_none_where_no_model_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = {"name": "logistic_mixed", "params": {"random": "maximal"}}
    claim = hypothesis("logistic_mixed", {"outcome": "answers", **WITHIN, "analysis": few}, expects="greater")
    found = finding(claim, data="greater")
    assert found.verdict == "supported"
    assert any("The result rests on the simpler model." in reason for reason in found.why)
    monkeypatch.setattr(ShownShares, "doubt", lambda *_: "it contradicts the answers")
    unheld = finding(claim, data="greater")
    assert (unheld.verdict, unheld.p_adjusted) == ("inconclusive", None)
    assert any(reason.startswith("No verdict rests on this model") for reason in unheld.why)


def scored_out_of_five(*shares: float) -> Tables:
    """Seventy people in each of two groups, with so many right of five: the median difference is exactly 0."""
    rng = np.random.default_rng(1)
    right = {share: rng.binomial(5, share, 70) for share in sorted(shares, reverse=True)}
    people = [f"p{number}" for number in range(140)]
    sessions = pd.DataFrame({"participant": people, "group": ["a"] * 70 + ["b"] * 70})
    sessions["score"] = np.concatenate([right[share] for share in shares]).astype(float)
    return Tables(sessions.assign(item="i"), sessions)


@pytest.mark.usefixtures("forgetful_registry")
@pytest.mark.parametrize("analysis", ["rank_sum", "silent_ranks"])
@pytest.mark.parametrize(("shares", "verdict"), [((0.9, 0.79), "supported"), ((0.79, 0.9), "opposite")])
def test_the_side_is_that_of_the_tested_statistic_where_the_estimate_has_none(
    analysis: str, shares: tuple[float, float], verdict: str
) -> None:
    class SilentRanks(Record):
        """A test of another package that says nothing about its side."""

        fit: ClassVar[Fit] = Fit(frozenset({"continuous"}), factor="between", n_levels="two")

        def estimate(self, table: pd.DataFrame, hypothesis: Hypothesis, rng: np.random.Generator) -> Estimate:
            found = registry.create("analyses", Ref(name="rank_sum")).estimate(table, hypothesis, rng)
            return found.model_copy(update={"side": None})  # type: ignore[no-any-return]

    if analysis == "silent_ranks":
        registry.register("analyses", analysis)(SilentRanks)
    plan = AnalysisPlan(
        outcomes=OUTCOMES[:1], hypotheses=(hypothesis(analysis, {"outcome": "score", **BETWEEN}, expects="greater"),)
    )
    under, rng = Collected("a" * 64, frozenset({"a" * 64})), np.random.default_rng(1)
    found = findings_from_tables(plan, scored_out_of_five(*shares), VARIABLES, collected=under, rng=rng).findings[0]
    assert found.estimate is not None
    assert found.estimate.effect == 0
    assert found.verdict == verdict
    assert any("shift (a - b) is exactly 0, but U, which was tested, lies" in reason for reason in found.why)


@pytest.mark.usefixtures("forgetful_registry")
def test_an_analysis_that_fails_takes_no_other_finding_with_it() -> None:
    class Broken(Record):
        fit: ClassVar[Fit] = Fit(frozenset({"continuous"}), factor="between", n_levels="two")

        def estimate(self, table: pd.DataFrame, hypothesis: Hypothesis, rng: np.random.Generator) -> Estimate:
            raise ZeroDivisionError("float division by zero")

    registry.register("analyses", "broken")(Broken)
    both = (
        hypothesis("broken", {"outcome": "score", **BETWEEN}),
        hypothesis("welch_t", {"outcome": "score", **BETWEEN}, hypothesis_id="t"),
    )
    plan = AnalysisPlan(outcomes=OUTCOMES[:1], hypotheses=both)
    under, rng = Collected("a" * 64, frozenset({"a" * 64})), np.random.default_rng(1)
    broken, kept = findings_from_tables(plan, tables("greater"), VARIABLES, collected=under, rng=rng).findings
    assert (broken.verdict, kept.verdict) == ("inconclusive", "supported")
    assert any("'broken' failed on these data (ZeroDivisionError: float division" in reason for reason in broken.why)
