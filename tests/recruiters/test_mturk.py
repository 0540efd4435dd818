"""Mechanical Turk, through botocore's own stub: create, list, approve and bonus, each with its idempotency token."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.paid_people import Hands, Person, log_in
from tests.paid_studies import PROLIFIC, paid_study
from tests.serve.stage_door import folder_of
from understudy.actions.pay import Paid, PayBook, created_hit, pay, pay_desk_of, survey
from understudy.actions.run_folder import existing_run
from understudy.errors import RecruiterError
from understudy.record import open_log
from understudy.recruiters.mturk import MTurkDesk, create_hit
from understudy.recruiters.platform import BonusOrder

stub = pytest.importorskip("botocore.stub", reason="tests of Mechanical Turk need the extra 'mturk'")
session = pytest.importorskip("botocore.session", reason="tests of Mechanical Turk need the extra 'mturk'")
HIT = "3HIT"
BONUS = {"WorkerId": "W-a", "AssignmentId": "a", "BonusAmount": "0.37"}


@pytest.fixture
def client() -> Any:
    made = session.get_session()
    return made.create_client("mturk", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")


def assignment(name: str, status: str) -> dict[str, Any]:
    return {"AssignmentId": name, "WorkerId": f"W-{name}", "HITId": HIT, "AssignmentStatus": status}


def test_a_hit_is_created_once_for_each_version_of_a_study(client: Any) -> None:
    study = paid_study(recruitment={**PROLIFIC, "recruiter": "mturk"})
    wanted = {
        "Title": PROLIFIC["title"], "Description": PROLIFIC["description"], "Reward": "2.00", "MaxAssignments": 20,
        "LifetimeInSeconds": 604800, "AssignmentDurationInSeconds": 1800, "Question": stub.ANY,
        "UniqueRequestToken": study.digest[:64],
    }  # fmt: skip
    with stub.Stubber(client) as stubbed:
        stubbed.add_response("create_hit", {"HIT": {"HITId": HIT}}, wanted)
        assert create_hit(client, study, "https://study.example/") == HIT
        stubbed.assert_no_pending_responses()


def test_all_assignments_are_listed_page_by_page(client: Any) -> None:
    first = {"Assignments": [assignment("a", "Submitted")], "NextToken": "more"}
    with stub.Stubber(client) as stubbed:
        stubbed.add_response("list_assignments_for_hit", first, {"HITId": HIT})
        stubbed.add_response(
            "list_assignments_for_hit",
            {"Assignments": [assignment("b", "Approved")]},
            {"HITId": HIT, "NextToken": "more"},
        )
        found = MTurkDesk(client, HIT, 200).submissions()
    assert [(row.recruiter_id, row.status) for row in found] == [("W-a", "waiting"), ("W-b", "approved")]


@pytest.mark.parametrize(("status", "n_approvals"), [("Submitted", 1), ("Approved", 0)])
def test_an_assignment_is_approved_once(client: Any, status: str, n_approvals: int) -> None:
    with stub.Stubber(client) as stubbed:
        stubbed.add_response("get_assignment", {"Assignment": assignment("a", status)}, {"AssignmentId": "a"})
        stubbed.add_response("list_bonus_payments", {"BonusPayments": []}, {"AssignmentId": "a"})
        for _ in range(n_approvals):
            stubbed.add_response("approve_assignment", {}, {"AssignmentId": "a"})
        MTurkDesk(client, HIT, 200).approve("a")
        stubbed.assert_no_pending_responses()


def test_a_bonus_carries_the_token_of_its_order(client: Any) -> None:
    wanted = {**BONUS, "Reason": "n_right", "UniqueRequestToken": "o1-a"}
    with stub.Stubber(client) as stubbed:
        for _ in range(2):
            stubbed.add_response("get_assignment", {"Assignment": assignment("a", "Approved")}, {"AssignmentId": "a"})
            stubbed.add_response("send_bonus", {}, wanted)
        desk = MTurkDesk(client, HIT, 200)
        # The same order sent again has the same token, which Mechanical Turk recognises.
        desk.pay_bonuses("o1", [BonusOrder("a", 37, "n_right")])
        desk.pay_bonuses("o1", [BonusOrder("a", 37, "n_right")])
        stubbed.assert_no_pending_responses()


def test_bonuses_that_were_paid_are_found(client: Any) -> None:
    paid = {**BONUS, "Reason": "x", "GrantTime": datetime(2026, 1, 1, tzinfo=UTC)}
    with stub.Stubber(client) as stubbed:
        stubbed.add_response("get_assignment", {"Assignment": assignment("a", "Approved")}, {"AssignmentId": "a"})
        stubbed.add_response("list_bonus_payments", {"BonusPayments": [paid]}, {"AssignmentId": "a"})
        found = MTurkDesk(client, HIT, 200).submission("a")
    assert (found.bonus_cents, found.paid_cents) == (37, 237)


def test_a_refusal_is_one_sentence(client: Any) -> None:
    with stub.Stubber(client) as stubbed:
        stubbed.add_client_error("list_assignments_for_hit", "RequestError", "This account is closed to new requests.")
        with pytest.raises(RecruiterError, match=r"rejected the request: This account is closed to new requests\."):
            MTurkDesk(client, HIT, 200).submissions()


def test_a_run_is_paid_through_its_hit_with_the_same_ledger(client: Any, tmp_path: Path) -> None:
    folder = folder_of(paid_study(recruitment={**PROLIFIC, "recruiter": "mturk"}), tmp_path / "run")
    run, person = existing_run(folder), Person("ann", "completed", bonus=0.37)
    with stub.Stubber(client) as stubbed, open_log(log_in(folder)) as log:
        stubbed.add_response("create_hit", {"HIT": {"HITId": HIT}})
        assert [created_hit(run, "https://study.example", lambda _: client) for _ in range(2)] == [HIT, HIT]
        log.append(person.events())
        book = PayBook(
            log,
            run.script.study,
            fields_of=lambda _: {"workerId": "W-a", "assignmentId": "a"},
            now_ms=Hands(),
            actor="ada",
        )
        desk = pay_desk_of(run, {}, lambda _: client)
        _expect_round(stubbed)
        done = pay(book, desk, survey(book, desk))
        after = survey(book, desk)
    assert (done, after.paid_cents, after.due_cents, after.open_cents) == (Paid(1, 1, ()), 237, 0, 0)


def test_a_bonus_that_is_refused_holds_no_other_up(client: Any, tmp_path: Path) -> None:
    with stub.Stubber(client) as stubbed, open_log(log_in(tmp_path)) as log:
        for name in ("ann", "bob"):
            log.append(Person(name, "completed", bonus=0.37).events())
        desk = MTurkDesk(client, HIT, 200)
        ids = {"p-ann": "a", "p-bob": "b"}
        book = PayBook(
            log, paid_study(), fields_of=lambda name: {"workerId": f"W-{ids[name]}"}, now_ms=Hands(), actor="ada"
        )
        rows = [assignment(name, "Approved") for name in ("a", "b")]
        stubbed.add_response("list_assignments_for_hit", {"Assignments": rows})
        for row in (*rows, *rows):
            stubbed.add_response("get_assignment", {"Assignment": row})
            stubbed.add_response("list_bonus_payments", {"BonusPayments": []})
        stubbed.add_response("get_assignment", {"Assignment": rows[0]})
        stubbed.add_client_error("send_bonus", "RequestError", "This worker's account is closed.")
        stubbed.add_response("get_assignment", {"Assignment": rows[1]})
        stubbed.add_response("send_bonus", {})
        done = pay(book, desk, survey(book, desk))
    steps = [entry.step for entry in book.entries]
    assert (done.n_bonuses, len(done.faults), steps.count("failed"), steps.count("accepted")) == (1, 1, 1, 1)


def _expect_round(stubbed: Any) -> None:
    """Expect what paying one person asks of Mechanical Turk, in order."""

    def looked(status: str, bonus: str | None = None) -> None:
        paid = [{"WorkerId": "W-a", "AssignmentId": "a", "BonusAmount": bonus}] if bonus else []
        stubbed.add_response("get_assignment", {"Assignment": assignment("a", status)})
        stubbed.add_response("list_bonus_payments", {"BonusPayments": paid})

    stubbed.add_response("list_assignments_for_hit", {"Assignments": [assignment("a", "Submitted")]})
    for _ in range(3):
        looked("Submitted")
    stubbed.add_response("approve_assignment", {}, {"AssignmentId": "a"})
    for _ in range(2):
        looked("Approved")
    stubbed.add_response("get_assignment", {"Assignment": assignment("a", "Approved")})
    stubbed.add_response("send_bonus", {})
    stubbed.add_response("list_assignments_for_hit", {"Assignments": [assignment("a", "Approved")]})
    looked("Approved", "0.37")
