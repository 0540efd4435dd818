"""The client of Prolific keeps to its API description, repeats with care, and says in one sentence what went wrong."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from jsonschema import ValidationError

from tests.fake_prolific import FakeProlific, Faults, api_of, description_or_skip
from tests.fake_prolific.faults import Fault
from tests.paid_people import code_of, published
from tests.paid_studies import PROLIFIC, paid_plain, paid_study
from understudy.errors import NoAnswer, RecruiterError
from understudy.recruiters.prolific import Prolific, draft_from
from understudy.recruiters.prolific_api import ProlificApi
from understudy.schema import Json, Study
from understudy.schema.study import SENT_BACK


def actions_of(prolific: Prolific) -> dict[str, list[str]]:
    draft = draft_from(paid_study(), prolific, "https://study.example/", code_of)
    codes: Any = draft["completion_codes"]
    return {code["code"].removeprefix("CODE-"): [action["action"] for action in code["actions"]] for code in codes}


def test_each_ending_has_a_code_with_its_own_action() -> None:
    assert actions_of(Prolific()) == {
        "completed": ["MANUALLY_REVIEW"], "excluded": ["MANUALLY_REVIEW"], "screened_out": ["REQUEST_RETURN"],
        "declined": ["REQUEST_RETURN"], "withdrew": ["REQUEST_RETURN"], "abandoned": ["REQUEST_RETURN"],
        "full": ["REQUEST_RETURN"],
    }  # fmt: skip


def test_fixed_screen_outs_automatic_approval_and_groups_are_asked_for() -> None:
    found = actions_of(Prolific(screen_outs=20, approval="automatic", adds_to_group="g1"))
    joins = "ADD_TO_PARTICIPANT_GROUP"
    assert (found["screened_out"], found["completed"]) == (
        ["FIXED_SCREEN_OUT_PAYMENT", joins],
        ["AUTOMATICALLY_APPROVE", joins],
    )
    assert (found["excluded"], found["full"]) == (["MANUALLY_REVIEW", joins], ["REQUEST_RETURN"])


def test_the_draft_says_what_the_study_file_says() -> None:
    draft = draft_from(paid_study(), Prolific(blocked_group="g2"), "https://study.example/", code_of)
    assert (draft["reward"], draft["total_available_places"], draft["estimated_completion_time"]) == (200, 20, 10)
    assert (draft["name"], draft["device_compatibility"]) == (PROLIFIC["title"], ["desktop"])
    assert draft["filters"] == [{"filter_id": "participant_group_blocklist", "selected_values": ["g2"]}]
    assert str(draft["external_study_url"]).startswith(
        "https://study.example/s/two-groups?PROLIFIC_PID={{%PROLIFIC_PID%}}"
    )


@pytest.mark.parametrize(("share", "is_told"), [(0.4, True), (0.0, False)])
def test_people_who_are_screened_out_learn_that_they_are_paid_after_the_return(share: float, is_told: bool) -> None:
    plain = paid_plain()
    plain["flow"][1]["gate"] = {"at_least": 1.0, "pay_amount": share}
    draft = draft_from(Study.model_validate(plain), Prolific(), "https://study.example/", code_of)
    codes: Any = draft["completion_codes"]
    reasons = {code["code"]: code["actions"][0].get("return_reason", "") for code in codes}
    assert ("paid for your time by a bonus" in reasons["CODE-screened_out"]) is is_told
    assert "bonus" not in reasons["CODE-declined"]


@pytest.mark.parametrize("broken", [{"reward": "two pounds"}, {"rewards": 200}, {"completion_codes": [{"code": "A"}]}])
def test_the_stand_in_refuses_what_the_description_does_not_allow(broken: Json) -> None:
    description_or_skip()
    draft = draft_from(paid_study(), Prolific(), "https://study.example", code_of)
    with pytest.raises(ValidationError):
        api_of(FakeProlific()).create_study({**draft, **broken})


def test_every_address_that_the_client_uses_is_in_the_description() -> None:
    known = description_or_skip()
    assert known.operation("POST", "/api/v1/bulk-bonus-payments/b1/pay/")[0] == "pay-bonus-payments"
    assert known.operation("POST", "/api/v1/submissions/bonus-payments/")[0] == "create-bonus-payments"


@pytest.mark.parametrize("fault", ["too_many", "lost_before", "lost_after", "failed_before", "failed_after"])
def test_what_can_be_repeated_is_repeated(fault: Fault) -> None:
    fake = FakeProlific()
    study_id = published(fake)
    fake.enter(study_id, "ann")
    fake.come_back("sub-ann", code_of("completed"))
    fake.faults = Faults.once(fault, "transition")
    api_of(fake).approve("sub-ann")
    assert [payment.cents for payment in fake.payments] == [200]


@pytest.mark.parametrize(("fault", "kind"), [("lost_after", NoAnswer), ("failed_after", NoAnswer), ("too_many", None)])
def test_a_bonus_is_never_paid_by_a_repeated_call(fault: Fault, kind: type[Exception] | None) -> None:
    fake = FakeProlific()
    study_id = published(fake)
    fake.enter(study_id, "ann")
    api = api_of(fake)
    batch = api.upload_bonuses(study_id, [("sub-ann", 5)])
    fake.faults = Faults.once(fault, "/pay/")
    if kind is None:
        api.pay_bonuses(batch.batch_id)
    else:
        with pytest.raises(kind, match="may still have been carried out"):
            api.pay_bonuses(batch.batch_id)
    assert [payment.cents for payment in fake.payments] == [5]


def test_a_platform_that_keeps_failing_is_given_up() -> None:
    fake = FakeProlific()
    fake.faults = Faults(lambda _method, _path: "too_many")
    with pytest.raises(RecruiterError, match="asks to wait"):
        api_of(fake).study_named("any")
    assert len(fake.faults.met) == 5


def test_a_wrong_token_is_one_sentence() -> None:
    with pytest.raises(
        RecruiterError, match=r"credentials were not provided.*copy it from the settings at Prolific again"
    ):
        api_of(FakeProlific(), token="wrong").study_named("any")


@pytest.mark.parametrize("ask", [
    lambda api: api.study("s"), lambda api: api.submission("s"), lambda api: api.upload_bonuses("s", []),
    lambda api: api.create_group("w", "g"), lambda api: api.new_webhook_secret("w"), lambda api: api.subscribe("w", "https://x"),
])  # fmt: skip
def test_an_answer_without_what_was_asked_for_is_one_sentence(ask: Callable[[ProlificApi], object]) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={}))
    with pytest.raises(RecruiterError, match="its API may have changed"):
        ask(ProlificApi("token", transport=transport, pause=lambda _: None))


def test_all_pages_of_submissions_are_read() -> None:
    fake = FakeProlific()
    study_id = published(fake)
    for number in range(200):
        fake.enter(study_id, f"p{number}")
    assert len(api_of(fake).submissions(study_id)) == 200


def test_every_ending_has_a_code() -> None:
    assert set(actions_of(Prolific())) == set(SENT_BACK)
