"""A plan on tables: verdicts, corrections, gates, decision trees, status, and what was left out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, plan, results, sample_tables
from understudy.errors import PlanError
from understudy.estimate import Collected, FactorVariable, MeasureVariable, Tables, Variables, findings_from_tables
from understudy.report.cautions import uncorrected_words
from understudy.schema import AnalysisPlan, Family, Finding, Hypothesis, Outcome, Ref

HERE, ELSEWHERE = "a" * 64, "b" * 64


def fixed(name: str, p: float | None, **fields: object) -> Hypothesis:
    return hypothesis(name, analysis={"name": "fixed", "params": {"p": p}}, **fields)


def first(of: AnalysisPlan, collected: Collected | None = None) -> Finding:
    return results(of, collected=collected).findings[0]


def adjusted(correction: str, *p_values: float | None, n_tests: int | None = None) -> list[float | None]:
    family = Family.model_validate({"name": "f", "correction": correction, "n_tests": n_tests})
    members = [fixed(f"h{place}", p, family="f") for place, p in enumerate(p_values)]
    return [finding.p_adjusted for finding in results(plan(*members, families=(family,))).findings]


def test_a_small_p_value_supports_the_claim() -> None:
    assert first(plan(fixed("h", 0.049))).verdict == "supported"


def test_a_p_value_at_alpha_does_not() -> None:
    assert first(plan(fixed("h", 0.05))).verdict == "not_supported"


def test_a_hypothesis_may_have_its_own_alpha() -> None:
    assert first(plan(fixed("h", 0.02, alpha=0.01))).verdict == "not_supported"


def test_an_estimate_that_is_compared_with_nothing_is_not_tested() -> None:
    finding = first(plan(fixed("h", None)))
    assert (finding.verdict, finding.why) == ("not_tested", ("The analysis gives an estimate but no p-value.",))


def test_a_correction_is_known_of_every_test_of_a_family_also_of_its_largest_p() -> None:
    family = [fixed(name, p, family="f") for name, p in (("h1", 0.01), ("h2", 0.3))]
    by_hand = [fixed("h3", 0.01, alpha=0.02), fixed("h4", 0.01, alpha=0.03)]
    tested = plan(*family, *by_hand, fixed("h5", 0.01), fixed("h6", 0.2), families=(Family(name="f"),))
    found = results(tested).findings
    assert {finding.hypothesis_id: finding.is_corrected for finding in found} == {
        "h1": True, "h2": True, "h3": True, "h4": True, "h5": False, "h6": False,
    }  # fmt: skip
    assert uncorrected_words(found) == "2 tests at alpha .05 without a correction for multiple testing: h5 and h6."


def test_an_analysis_that_cannot_estimate_says_why() -> None:
    finding = first(plan(hypothesis(analysis="unable")))
    assert (finding.verdict, finding.why, finding.estimate) == (
        "inconclusive",
        ("Two participants are too few.",),
        None,
    )


def test_an_absent_level_leaves_the_claim_open() -> None:
    tables = sample_tables(n_people=1)
    finding = results(plan(hypothesis(analysis="difference", factor="help")), tables).findings[0]
    assert finding.why == ("No row has level without of 'help'.",)


def test_rows_that_are_all_filtered_away_leave_the_claim_open() -> None:
    finding = first(plan(hypothesis(where="value > 2")))
    assert finding.why == ("No row of outcome 'accuracy' is left to test.",)


def test_the_first_level_is_compared_to_the_second() -> None:
    times = (outcome("accuracy", "rt"),)
    forth = first(plan(hypothesis(analysis="difference", factor="help"), outcomes=times))
    back = first(plan(hypothesis(analysis="difference", factor="help", contrast=("without", "with")), outcomes=times))
    assert forth.estimate is not None
    assert back.estimate is not None
    assert forth.estimate.effect == pytest.approx(-(back.estimate.effect or 0))
    assert (forth.estimate.effect or 0) > 0


def test_only_contrasted_levels_are_analysed() -> None:
    finding = first(plan(hypothesis(factor="method", contrast=("lime", "none"))))
    assert finding.estimate is not None
    assert finding.estimate.n_sessions == 8


def test_bonferroni_multiplies_by_the_family() -> None:
    assert adjusted("bonferroni", 0.01, 0.04) == [0.02, 0.08]


def test_holm_steps_down() -> None:
    assert adjusted("holm", 0.04, 0.01, 0.5) == pytest.approx([0.08, 0.03, 0.5])


def test_a_family_can_be_larger_than_the_plan() -> None:
    assert adjusted("bonferroni", 0.01, n_tests=8) == [0.08]


def test_a_test_without_p_value_still_counts_in_its_family() -> None:
    assert adjusted("bonferroni", 0.01, None) == [0.02, None]


def test_a_family_can_leave_p_values_alone() -> None:
    assert adjusted("none", 0.01, 0.04) == [0.01, 0.04]


def test_a_gate_that_is_not_supported_closes() -> None:
    findings = results(plan(fixed("late", 0.001, requires="early"), fixed("early", 0.2))).findings
    assert [finding.verdict for finding in findings] == ["not_tested", "not_supported"]
    assert findings[0].estimate is None
    assert findings[0].why == ("Not tested, since 'early' was not supported.",)


def test_a_gate_that_is_supported_opens() -> None:
    findings = results(plan(fixed("late", 0.001, requires="early"), fixed("early", 0.01))).findings
    assert [finding.verdict for finding in findings] == ["supported", "supported"]


def test_a_closed_gate_closes_the_next() -> None:
    chain = plan(fixed("a", 0.2), fixed("b", 0.01, requires="a"), fixed("c", 0.01, requires="b"))
    assert [finding.verdict for finding in results(chain).findings] == ["not_supported", "not_tested", "not_tested"]


def test_a_tree_takes_the_branch_its_checks_lead_to() -> None:
    inner = {"check": {"name": "says", "params": {"holds": False}}, "if_holds": "unable", "if_fails": "fixed"}
    finding = first(plan(hypothesis(analysis={"check": "says", "if_holds": inner, "if_fails": "unable"})))
    assert finding.analysis == "fixed"
    assert [(check.holds, check.led_to) for check in finding.checks] == [(True, "says"), (False, "fixed")]


def test_the_plan_hands_its_confidence_and_alpha_to_analyses() -> None:
    estimate = first(plan(hypothesis(alpha=0.01), confidence=0.9)).estimate
    assert estimate is not None
    assert estimate.interval is not None
    assert (estimate.interval.level, estimate.details["alpha"]) == (0.9, 0.01)


def test_an_analysis_may_set_its_own_confidence() -> None:
    estimate = first(plan(hypothesis(analysis={"name": "fixed", "params": {"confidence": 0.8}}))).estimate
    assert estimate is not None
    assert estimate.interval is not None
    assert estimate.interval.level == 0.8


def test_data_collected_under_a_registered_study_confirm() -> None:
    finding = first(plan(hypothesis()), Collected(HERE, frozenset({HERE}), HERE, registration_gap=""))
    assert (finding.status, finding.why) == ("registered", ())


def test_data_collected_under_this_very_study_are_planned_and_say_why_not_registered() -> None:
    finding = first(plan(hypothesis()), Collected(HERE, frozenset({HERE}), HERE, registration_gap="Nobody froze it."))
    assert (finding.status, finding.why) == ("planned", ("Nobody froze it.",))


def test_findings_of_version_0_1_0_open_as_planned() -> None:
    old = first(plan(hypothesis())).model_dump() | {"status": "confirmatory"}
    assert Finding.model_validate(old).status == "planned"


@pytest.mark.parametrize(
    ("collected", "reason"),
    [
        (Collected(HERE, frozenset(), is_elsewhere=True), "no session carries its digest"),
        (Collected(HERE, frozenset()), "Nobody is analysed: no session of this study counts yet."),
        (Collected(HERE, frozenset({HERE, ELSEWHERE})), "another version of the study: bbbbbbbbbbbb"),
        (Collected(HERE, frozenset({ELSEWHERE})), "another version of the study"),
        (Collected(HERE, frozenset({HERE}), ELSEWHERE), "The preregistered study is bbbbbbbbbbbb"),
    ],
)
def test_anything_else_is_exploratory_and_says_why(collected: Collected, reason: str) -> None:
    finding = first(plan(hypothesis()), collected)
    assert finding.status == "exploratory"
    assert reason in finding.why[0]


def test_a_hypothesis_declared_exploratory_stays_so() -> None:
    finding = first(plan(hypothesis(is_confirmatory=False)))
    assert (finding.status, finding.why) == ("exploratory", ("The plan declares this hypothesis exploratory.",))


def test_missing_values_are_counted_in_the_notes() -> None:
    tables = sample_tables()
    tables.trials.loc[tables.trials["participant"] == "p00", "correct"] = None
    estimate = results(plan(hypothesis()), tables).findings[0].estimate
    assert estimate is not None
    assert estimate.n_sessions == 11
    assert estimate.notes == (
        "Left out: 8 of 96 rows without 'correct'.",
        "Left out: 1 of 12 participants without 'accuracy'.",
    )


def test_one_person_never_counts_as_two() -> None:
    repeated = plan(
        hypothesis(analysis="difference", factor="help", where="phase != 'never'"), outcomes=(outcome(by=("phase",)),)
    )
    with pytest.raises(PlanError, match="12 of 24 rows of outcome 'accuracy' repeat a participant"):
        results(repeated)


def test_the_same_seed_gives_the_same_numbers() -> None:
    assert results(plan(hypothesis()), seed=3).findings == results(plan(hypothesis()), seed=3).findings


def test_a_further_hypothesis_leaves_the_numbers_of_others_alone() -> None:
    alone = results(plan(hypothesis("b"))).findings[0]
    with_another = results(plan(hypothesis("a"), hypothesis("b"))).findings[1]
    assert alone == with_another


def test_the_order_of_rows_does_not_matter() -> None:
    tables = sample_tables()
    shuffled = replace(tables, trials=tables.trials.sample(frac=1, random_state=1).reset_index(drop=True))
    tested = plan(hypothesis(analysis="difference", factor="help"))
    there, again = results(tested, tables).findings[0].estimate, results(tested, shuffled).findings[0].estimate
    assert there is not None
    assert again is not None
    assert again.p_value == pytest.approx(there.p_value)


def test_three_levels_keep_their_declared_order() -> None:
    tested = hypothesis(factor="method", analysis="kruskal_wallis", outcome="accuracy")
    finding = first(plan(tested, outcomes=(outcome("accuracy", "rt"),)))
    assert finding.estimate is not None, finding.why
    assert [group.group for group in finding.estimate.groups] == [*VARIABLES.factors["method"].levels]


def test_what_an_analysis_assumes_is_checked_and_decides_nothing() -> None:
    rng = np.random.default_rng(8)
    spread = {"with": 1.0, "without": 9.0}
    people = [(f"{level}{k}", level, float(rng.normal(0, sd))) for level, sd in spread.items() for k in range(30)]
    sessions = pd.DataFrame(people, columns=["participant", "help", "score"])
    variables = Variables(
        measures={"score": MeasureVariable("session", "continuous")},
        factors={"help": FactorVariable("between", ("with", "without"))},
    )
    claim = Hypothesis(
        hypothesis_id="h", claim="It helps.", outcome="score", factor="help", analysis=Ref(name="independent_t")
    )
    asked = AnalysisPlan(outcomes=(Outcome(name="score", measure="score"),), hypotheses=(claim,))
    collected = Collected("a" * 64, frozenset({"a" * 64}))
    tables = Tables(sessions.head(0), sessions)
    (found,) = findings_from_tables(asked, tables, variables, collected=collected, rng=rng).findings
    assert [(check.check, check.holds) for check in found.assumptions] == [("shapiro_wilk", True), ("levene", False)]
    assert found.analysis == "independent_t"
