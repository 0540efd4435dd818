"""What a plan promises is what is not declared exploratory, with all it rests on."""

from understudy.schema import AnalysisPlan


def plan_of(*hypotheses: dict[str, object]) -> AnalysisPlan:
    common = {"claim": "It helps.", "outcome": "score", "analysis": {"name": "welch_t"}}
    return AnalysisPlan.model_validate(
        {
            "outcomes": [{"name": "score", "measure": "score"}],
            "hypotheses": [{**common, **hypothesis} for hypothesis in hypotheses],
            "families": [{"name": "first"}, {"name": "second"}],
        }
    )


def ids(plan: AnalysisPlan) -> list[str]:
    return [hypothesis.hypothesis_id for hypothesis in plan.hypotheses]


def test_exploratory_hypotheses_and_their_families_are_left_out() -> None:
    plan = plan_of(
        {"hypothesis_id": "a", "family": "first"},
        {"hypothesis_id": "b", "family": "second", "is_confirmatory": False},
    ).promised()
    assert (ids(plan), [family.name for family in plan.families]) == (["a"], ["first"])


def test_what_a_promise_rests_on_stays() -> None:
    plan = plan_of(
        {"hypothesis_id": "gate", "is_confirmatory": False},
        {"hypothesis_id": "a", "requires": "gate"},
        {"hypothesis_id": "b", "is_confirmatory": False},
    )
    assert ids(plan.promised()) == ["gate", "a"]


def test_a_plan_without_promises_stays_whole() -> None:
    assert ids(plan_of({"hypothesis_id": "a", "is_confirmatory": False}).promised()) == ["a"]
