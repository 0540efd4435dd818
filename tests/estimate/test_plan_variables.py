"""What a plan may speak of, collected from a study."""

from tests.small_studies import two_groups
from understudy.estimate import FactorVariable, MeasureVariable, plan_faults, variables_from_study


def test_a_study_offers_its_measures_and_factors() -> None:
    variables = variables_from_study(two_groups())
    assert variables.measures == {"correct": MeasureVariable("trial", "binary", "higher", ("predict",))}
    assert variables.factors == {"explanation": FactorVariable("between", ("shown", "hidden"))}


def test_a_measure_summed_up_per_session_changes_unit_and_scale() -> None:
    uses = [{"name": "correct", "measure": "correct", "summary": "mean"}]
    variables = variables_from_study(two_groups(measures=uses))
    assert variables.measures == {"correct": MeasureVariable("session", "bounded", "higher")}


def test_strata_and_places_can_be_named_in_rules_over_trials_only() -> None:
    variables = variables_from_study(two_groups())
    assert {"answer", "block", "position", "rt_ms"} <= variables.nameable("trial")
    assert "answer" not in variables.nameable("session")


def test_a_plan_is_not_blamed_for_a_measure_that_the_study_gets_wrong() -> None:
    study = two_groups(measures=[{"name": "correct", "measure": "no_such_measure"}])
    faults = plan_faults(study.plan, variables_from_study(study))
    assert [fault for fault in faults if "accuracy" in fault or "correct" in fault] == []
