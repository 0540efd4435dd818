"""The platform: studies, submissions, groups, webhooks and money, as the description says they behave."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from tests.fake_prolific.description import description
from tests.fake_prolific.faults import Faults
from understudy.recruiters.prolific import EVENT_ID, SIGNATURE, TIMESTAMP, signature_of

TOKEN = "a-token-of-the-tests"
NOW = "2026-11-16T12:00:00Z"
_MOVES = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE", ("ACTIVE", "PAUSE"): "PAUSED", ("PAUSED", "START"): "ACTIVE",
    ("ACTIVE", "STOP"): "COMPLETED", ("PAUSED", "STOP"): "COMPLETED",
}  # fmt: skip
_FREES_ITS_PLACE = ("RETURNED", "TIMED-OUT", "SCREENED OUT")


class Answer(NamedTuple):
    """What a request is answered with."""

    status: int
    body: Any
    headers: dict[str, str] = {}


class Payment(NamedTuple):
    """Money that left the account."""

    submission_id: str
    kind: str
    cents: int


class Message(NamedTuple):
    """A webhook on its way."""

    headers: dict[str, str]
    body: bytes


@dataclass
class _Batch:
    lines: list[tuple[str, int]]


@dataclass
class FakeProlific:
    """Everything Prolific knows; `payments` is what it really paid."""

    faults: Faults = field(default_factory=Faults)
    on_request: Callable[[str, str, str], None] = lambda _method, _path, _when: None
    """Called with "before" and "after" around each request that is handled."""
    delay: int = 0
    """After how many further requests an ordered bonus is paid."""
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    batches: dict[str, _Batch] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    messages: list[dict[str, Any]] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    on_their_way: list[tuple[int, Payment]] = field(default_factory=list)
    webhooks: list[Message] = field(default_factory=list)
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    secret: str = ""
    currency: str = ""
    """What the workspace pays in; empty where the token may not see its balance."""
    available_cents: int = 10**6
    n_requests: int = 0
    without_bonus: set[str] = field(default_factory=set)
    """Submissions that no bonus can be paid on any more."""

    # What the account sees.

    def answer(self, method: str, address: str, body: bytes, token: str) -> Answer:
        """Answer a request, checked against the description on its way in and out."""
        self.n_requests += 1
        parts = urlsplit(address)
        given = json.loads(body) if body else None
        known = description()
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if known is not None:
            known.check_request(method, parts.path, given)
            known.check_query(method, parts.path, query)
        if token != f"Token {TOKEN}":
            found = _refused("Authentication credentials were not provided.", 401)
        else:
            found = self._handled(method, parts.path, query, given)
        if known is not None:
            known.check_answer(method, parts.path, found.status, found.body)
        return found

    def _handled(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        self._settle(1)
        words = [word for word in path.removeprefix("/api/v1/").split("/") if word]
        match method, words:
            case "POST", ["studies"]:
                return self._created(body)
            case "GET", ["studies"]:
                rows = [_picked(study, "id", "name", "internal_name", "status") for study in self.studies.values()]
                return Answer(200, {"results": rows})
            case "GET", ["studies", study_id] if study_id in self.studies:
                return Answer(200, self.studies[study_id])
            case "PATCH", ["studies", study_id] if study_id in self.studies:
                return self._changed(self.studies[study_id], body)
            case "POST", ["studies", study_id, "transition"] if study_id in self.studies:
                return self._moved(self.studies[study_id], body["action"])
            case "GET", ["projects", "project0"]:
                return Answer(200, {"id": "project0", "title": "Project", "type": "PRIVATE", "workspace": "workspace0"})
            case "GET", ["workspaces", "workspace0", "balance"] if self.currency:
                return Answer(200, {"currency_code": self.currency, "available_balance": self.available_cents})
            case "POST", ["study-cost-calculator"]:
                return Answer(200, {"total_cost": round(body["reward"] * body["total_available_places"] * 1.4)})
            case "GET", ["submissions"]:
                return self._listed(query)
            case "GET", ["submissions", submission_id] if submission_id in self.submissions:
                return Answer(200, self._detail(self.submissions[submission_id]))
            case "POST", ["submissions", submission_id, "transition"] if submission_id in self.submissions:
                return self._judged(self.submissions[submission_id], body)
            case "POST", ["submissions", submission_id, "request-return"] if submission_id in self.submissions:
                submission = self.submissions[submission_id]
                submission["return_requested"] = NOW
                return Answer(
                    200,
                    _picked(submission, "id", "status", "return_requested")
                    | {"participant": submission["participant_id"]},
                )
            case "POST", ["submissions", "bonus-payments"]:
                return self._uploaded(body)
            case "POST", ["bulk-bonus-payments", batch_id, "pay"] if batch_id in self.batches:
                # Not idempotent, as the description warns: each call pays everybody again.
                lines = self.batches[batch_id].lines
                self.on_their_way += [(self.delay, Payment(name, "bonus", cents)) for name, cents in lines]
                self._settle(0)
                return Answer(202, "The bonuses will be paid.")
            case "POST", ["messages"]:
                self.messages.append(body)
                return Answer(204, None)
            case "POST", ["participant-groups"]:
                group_id = f"group{len(self.groups)}"
                self.groups[group_id] = []
                return Answer(201, {"id": group_id, "name": body["name"], "participant_count": 0})
            case "POST", ["participant-groups", group_id, "participants"] if group_id in self.groups:
                self.groups[group_id] += [name for name in body["participant_ids"] if name not in self.groups[group_id]]
                return Answer(200, {"results": []})
            case "POST", ["hooks", "secrets"]:
                self.secret = f"secret-of-{body['workspace_id']}"
                return Answer(201, {"id": "s1", "value": self.secret, "workspace_id": body["workspace_id"]})
            case "POST", ["hooks", "subscriptions"]:
                made = {**body, "id": f"hook{len(self.subscriptions)}", "is_enabled": False}
                self.subscriptions[made["id"]] = made
                return Answer(201, {"results": [made]}, {"X-Hook-Secret": "handshake"})
            case "POST", ["hooks", "subscriptions", hook_id] if body == {"secret": "handshake"}:
                self.subscriptions[hook_id]["is_enabled"] = True
                return Answer(200, self.subscriptions[hook_id])
        return _refused(f"There is no {path} here.", 404)

    def _created(self, body: Any) -> Answer:
        codes = [code["code"] for code in body["completion_codes"]]
        if len(set(codes)) < len(codes):
            return _refused("Completion codes must be unique.", 400)
        study = {"project": "project0", **body, "id": f"study{len(self.studies)}", "status": "UNPUBLISHED"}
        self.studies[study["id"]] = study
        return Answer(201, study)

    def _changed(self, study: dict[str, Any], body: Any) -> Answer:
        if (
            study["status"] != "UNPUBLISHED"
            and body.get("total_available_places", 1e9) < study["total_available_places"]
        ):
            return _refused("The places of a published study can only grow.", 400)
        study.update(body)
        return Answer(200, study)

    def _moved(self, study: dict[str, Any], action: str) -> Answer:
        status = _MOVES.get((study["status"], action))
        if status is None:
            return _refused(f"A study that is {study['status']} cannot {action}.", 400)
        study["status"] = status
        return Answer(200, study)

    def _listed(self, query: dict[str, str]) -> Answer:
        rows = [row for row in self.submissions.values() if row["study_id"] == query["study"]]
        size = int(query.get("page_size", "20"))
        first = (int(query.get("page", "1")) - 1) * size
        if first and first >= len(rows):
            return _refused("That page contains no results.", 404)
        names = ("id", "participant_id", "status", "started_at", "completed_at", "study_code", "return_requested")
        results = [{**_picked(row, *names), "has_siblings": False} for row in rows[first : first + size]]
        # Only a single submission can be UNKNOWN by the description, and lists have to say something else.
        results = [row | ({"status": "ACTIVE"} if row["status"] == "UNKNOWN" else {}) for row in results]
        return Answer(200, {"results": results})

    def _detail(self, submission: dict[str, Any]) -> dict[str, Any]:
        paid = [payment.cents for payment in self.payments if payment[:2] == (submission["id"], "bonus")]
        return _picked(submission, "id", "status", "study_id", "started_at", "completed_at", "return_requested") | {
            "participant": submission["participant_id"], "entered_code": submission["study_code"], "bonus_payments": paid,
        }  # fmt: skip

    def _judged(self, submission: dict[str, Any], body: Any) -> Answer:
        action, status = body["action"], submission["status"]
        if action == "APPROVE" and status in ("AWAITING REVIEW", "TIMED-OUT"):
            # Approving people who timed out works, and pays them: clients have to look first.
            self._approve(submission)
        elif action == "REJECT" and status == "AWAITING REVIEW":
            if len(body.get("message", "")) < 100 or "rejection_category" not in body:
                return _refused("A rejection needs a category and a message of 100 characters.", 400)
            self._set(submission, "REJECTED")
        elif (action, status) not in (("APPROVE", "APPROVED"), ("REJECT", "REJECTED")):
            return _refused(f"A submission that is {status} cannot be {action}ed.", 400)
        found = _picked(submission, "id", "status", "study_id", "started_at")
        return Answer(200, found | {"participant": submission["participant_id"]})

    def _uploaded(self, body: Any) -> Answer:
        pairs = [line.split(",") for line in body["csv_bonuses"].splitlines()]
        taking = {name for name, row in self.submissions.items() if row["study_id"] == body["study_id"]}
        strange = [name for name, _ in pairs if name not in taking - self.without_bonus]
        if strange:
            return _refused(f"These ids did not take part: {', '.join(strange)}.", 400)
        if len(pairs) > 200:
            return _refused("Too many bonuses at once.", 400)
        lines = [(name, round(float(amount) * 100)) for name, amount in pairs]
        batch_id = f"batch{len(self.batches)}"
        self.batches[batch_id] = _Batch(lines)
        total = sum(cents for _, cents in lines)
        return Answer(
            201,
            {
                "id": batch_id,
                "study": body["study_id"],
                "amount": total,
                "fees": 0.4 * total,
                "total_amount": 1.4 * total,
            },
        )

    # What its people do.

    def enter(self, study_id: str, person: str) -> str | None:
        """Let somebody take a place; None while the study is not active or full."""
        study = self.studies[study_id]
        taken = sum(
            row["status"] not in _FREES_ITS_PLACE for row in self.submissions.values() if row["study_id"] == study_id
        )
        if study["status"] != "ACTIVE" or taken >= study["total_available_places"]:
            return None
        submission_id = f"sub-{person}"
        self.submissions[submission_id] = {
            "id": submission_id, "participant_id": person, "study_id": study_id, "status": "ACTIVE", "started_at": NOW,
            "completed_at": None, "study_code": None, "return_requested": None,
        }  # fmt: skip
        return submission_id

    def come_back(self, submission_id: str, code: str) -> None:
        """Let somebody return with a completion code, and do what the code says."""
        submission = self.submissions[submission_id]
        submission |= {"study_code": code, "completed_at": NOW}
        known = self.studies[submission["study_id"]]["completion_codes"]
        self._set(submission, "AWAITING REVIEW")
        for action in next(entry["actions"] for entry in known if entry["code"] == code):
            match action["action"]:
                case "AUTOMATICALLY_APPROVE":
                    self._approve(submission)
                case "REQUEST_RETURN":
                    submission["return_requested"] = NOW
                case "FIXED_SCREEN_OUT_PAYMENT":
                    self.payments.append(Payment(submission_id, "screen_out", action["fixed_screen_out_reward"]))
                    self._set(submission, "SCREENED OUT")
                case "ADD_TO_PARTICIPANT_GROUP":
                    self.groups.setdefault(action["participant_group"], []).append(submission["participant_id"])

    def leave(self, submission_id: str, status: str) -> None:
        """Let somebody return their submission, or run out of time."""
        self._set(self.submissions[submission_id], status)

    def settle(self) -> None:
        """Pay all bonuses that are on their way."""
        self._settle(10**9)

    def paid_cents(self, submission_id: str) -> int:
        """Return all that somebody got."""
        return sum(payment.cents for payment in self.payments if payment.submission_id == submission_id)

    def _settle(self, n: int) -> None:
        self.payments += [payment for left, payment in self.on_their_way if left <= n]
        self.on_their_way = [(left - n, payment) for left, payment in self.on_their_way if left > n]

    def _approve(self, submission: dict[str, Any]) -> None:
        self.payments.append(Payment(submission["id"], "reward", self.studies[submission["study_id"]]["reward"]))
        self._set(submission, "APPROVED")

    def _set(self, submission: dict[str, Any], status: str) -> None:
        submission["status"] = status
        told = {"event_type": "submission.status.change", "resource_id": submission["id"], "status": status}
        self.webhooks.append(self.message(told, 1_700_000_000))

    def message(self, told: dict[str, Any], at_s: int) -> Message:
        """Sign a webhook."""
        body, number = json.dumps(told).encode(), len(self.webhooks)
        headers = {
            SIGNATURE: signature_of(self.secret, str(at_s), body),
            TIMESTAMP: str(at_s),
            EVENT_ID: f"event{number}",
        }
        return Message(headers, body)


def _picked(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: record[name] for name in names if name in record}


def _refused(detail: str, status: int) -> Answer:
    told = {"status": status, "error_code": 140000, "title": "Error", "detail": detail}
    # Some operations wrap what went wrong, and some do not.
    return Answer(status, {"error": told, **told})
