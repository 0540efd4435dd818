"""The harm rehearsal: people for whom the opposite of a claim is true never support it, and the report says opposite."""

import json
from functools import cache

import pytest

from tests.protocols.harm_rehearsal import finding_under_harm
from understudy.estimate import variables_from_study
from understudy.estimate.verdicts import claimed_side
from understudy.protocols import ready_names, ready_study
from understudy.schema import Hypothesis, Study


@cache
def study_of(name: str) -> Study:
    """Return a ready study, built once."""
    return ready_study(name)


def claims_of(name: str) -> list[Hypothesis]:
    return [hypothesis for hypothesis in study_of(name).plan.hypotheses if claimed_side(hypothesis) is not None]


def kind_of(study: Study, hypothesis: Hypothesis) -> str:
    """Return what makes a claim different from others for its analysis: all but the names of levels and rows."""
    variables = variables_from_study(study)
    outcome = next(outcome for outcome in study.plan.outcomes if outcome.name == hypothesis.outcome)
    plain = hypothesis.model_dump(mode="json", include={"analysis", "direction", "expects", "against", "crossed_with"})
    if isinstance(plain["analysis"], dict):
        plain["analysis"].get("params", {}).pop("level", None)
    scope = variables.factors[hypothesis.factor].scope if hypothesis.factor else None
    return json.dumps([plain, scope, variables.scale_of(outcome), variables.unit_of(outcome), hypothesis.other is None])


def different_claims() -> list[tuple[str, str]]:
    """Return one claim of each kind over all ready studies."""
    kinds: dict[str, tuple[str, str]] = {}
    for name in ready_names():
        for hypothesis in claims_of(name):
            kinds.setdefault(kind_of(study_of(name), hypothesis), (name, hypothesis.hypothesis_id))
    return list(kinds.values())


def verdicts_of(name: str, *ids: str) -> dict[str, str]:
    study = study_of(name)
    chosen = [hypothesis for hypothesis in claims_of(name) if not ids or hypothesis.hypothesis_id in ids]
    return {one.hypothesis_id: finding_under_harm(study, one).verdict for one in chosen}


@pytest.mark.parametrize(("name", "hypothesis_id"), different_claims())
def test_every_kind_of_directional_claim_is_named_opposite_under_harm(name: str, hypothesis_id: str) -> None:
    assert verdicts_of(name, hypothesis_id) == {hypothesis_id: "opposite"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ready_names() if claims_of(name)])
def test_every_directional_claim_of_a_ready_study_is_named_opposite_under_harm(name: str) -> None:
    verdicts = verdicts_of(name)
    assert verdicts
    assert {hypothesis_id: verdict for hypothesis_id, verdict in verdicts.items() if verdict != "opposite"} == {}
