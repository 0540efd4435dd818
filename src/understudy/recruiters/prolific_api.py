"""Prolific's API, as much of it as recruiting and paying need; amounts are whole cents or pence."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, cast
from urllib.parse import urlencode

import httpx
from pydantic import JsonValue

from understudy.errors import NoAnswer, RecruiterError, RejectedOrder
from understudy.schema import Json

# HTTP calls to a platform: repeated only where a second call cannot do a second thing.

Repeats: TypeAlias = Literal["safe", "unsafe"]
"""safe: the call may be sent again whatever happened; unsafe: only where the platform certainly did nothing."""

TRIES = 5
_FIRST_PAUSE_S = 0.5
_BAD_REQUEST = 400
_TOO_MANY = 429
_NO_CONTENT = 204
_SERVER_FAULT = 500
_ADVICE = {
    401: ". The token may be mistyped or deleted; copy it from the settings at {platform} again.",
    403: ". The account of this token may not do this; ask who owns the workspace at {platform}.",
}


class PlatformCalls:
    """Sends requests, waits and tries again with care, and turns faults into sentences."""

    def __init__(self, client: httpx.Client, platform: str, pause: Callable[[float], None]) -> None:
        self._client = client
        self._platform = platform
        self._pause = pause

    def call(self, method: str, path: str, *, body: Json | None = None, repeats: Repeats = "safe") -> httpx.Response:
        """Return the answer to a request; raise NoAnswer if it is unknown whether the platform acted on it."""
        reason = ""
        for attempt in range(TRIES):
            if attempt:
                self._pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
            try:
                response = self._client.request(method, path, json=body)
            except httpx.ConnectError as error:
                # Nothing was sent, so that trying again is safe in any case.
                reason = f"cannot be reached ({error})"
                continue
            except httpx.HTTPError as error:
                reason = f"did not answer ({type(error).__name__})"
                if repeats == "unsafe":
                    break
                continue
            if response.status_code == _TOO_MANY:
                reason = "asks to wait, again and again"
                self._pause(_wait_s(response))
                continue
            if response.status_code >= _SERVER_FAULT:
                # It may have acted before it failed.
                reason = f"failed with status {response.status_code}"
                if repeats == "unsafe":
                    break
                continue
            if response.is_success:
                return response
            advice = _ADVICE.get(response.status_code, "").format(platform=self._platform)
            kind = RejectedOrder if response.status_code == _BAD_REQUEST else RecruiterError
            raise kind(f"{self._platform} rejected {method} {path}: {_told(response)}{advice}")
        if repeats == "unsafe" and reason.startswith(("did not", "failed")):
            raise NoAnswer(
                f"{self._platform} {reason} to {method} {path}; the request may still have been carried out."
            )
        raise RecruiterError(f"{self._platform} {reason}; check the connection and try again later.")

    def json(self, method: str, path: str, *, body: Json | None = None, repeats: Repeats = "safe") -> Json:
        """Return the object that a request is answered with."""
        found = plain_of(self.call(method, path, body=body, repeats=repeats))
        if not isinstance(found, dict):
            raise RecruiterError(f"{self._platform} answers {method} {path} with something other than an object.")
        return found


def plain_of(response: httpx.Response) -> JsonValue:
    """Return the JSON of an answer, None where there is none."""
    if response.status_code == _NO_CONTENT or not response.content:
        return None
    try:
        found: JsonValue = response.json()
    except ValueError:
        raise RecruiterError(f"{response.request.url} did not answer with JSON; check the address.") from None
    return found


def _wait_s(response: httpx.Response) -> float:
    after = response.headers.get("retry-after", "")
    return min(float(after), 60.0) if after.isdigit() else 0.0


def _told(response: httpx.Response) -> str:
    """Return what a platform says about a refusal, as text."""
    try:
        found = response.json()
    except ValueError:
        return f"status {response.status_code}"
    error = found.get("error", found) if isinstance(found, dict) else found
    detail = error.get("detail", error) if isinstance(error, dict) else error
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {value}" for name, value in detail.items())
    elif isinstance(detail, list):
        detail = "; ".join(map(str, detail))
    return f"{detail} (status {response.status_code})"


API = "https://api.prolific.com"
TIMEOUT_S = 30.0
_PAGE_SIZE = 100
_ACCEPTED = 202
_NO_MORE_PAGES = "status 404"


class PlatformStudy(NamedTuple):
    """A study as Prolific has it."""

    study_id: str
    status: str
    n_places: int


class Submission(NamedTuple):
    """One person's submission."""

    submission_id: str
    participant_id: str
    status: str
    code: str | None
    """The completion code that the person came back with."""
    is_return_requested: bool
    study_id: str = ""
    """Which study; empty in lists, which are of one study."""


class Purse(NamedTuple):
    """The money of the workspace that a study is in."""

    currency: str
    available_cents: int


class BonusUpload(NamedTuple):
    """Bonuses that Prolific knows and has not paid."""

    batch_id: str
    total_cents: int
    """What they cost, fees and taxes included."""


class ProlificApi:
    """Talks to Prolific in the name of one account."""

    def __init__(
        self,
        token: str,
        *,
        address: str = API,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = httpx.Client(
            base_url=address, headers={"Authorization": f"Token {token}"}, timeout=TIMEOUT_S, transport=transport
        )
        self._calls = PlatformCalls(self._client, "Prolific", pause)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def create_study(self, draft: Json) -> PlatformStudy:
        """Create a draft, which nobody can see yet."""
        # Two drafts would do no harm by themselves, but somebody might publish the wrong one.
        return _study(self._calls.json("POST", "/api/v1/studies/", body=draft, repeats="unsafe"))

    def study(self, study_id: str) -> PlatformStudy:
        """Return a study as it is now."""
        return _study(self._calls.json("GET", f"/api/v1/studies/{study_id}/"))

    def study_named(self, internal_name: str) -> str | None:
        """Return the id of the study that has an internal name, None if there is none."""
        found = _results(self._calls.json("GET", "/api/v1/studies/"))
        return next((_text(study, "id") for study in found if study.get("internal_name") == internal_name), None)

    def transition_study(self, study_id: str, action: str) -> PlatformStudy:
        """Publish, pause, start or stop a study."""
        body: Json = {"action": action}
        # Prolific refuses a transition that has happened already, so that a repeated call does nothing new.
        return _study(self._calls.json("POST", f"/api/v1/studies/{study_id}/transition/", body=body, repeats="unsafe"))

    def set_places(self, study_id: str, n_places: int) -> PlatformStudy:
        """Set how many people are wanted; of a published study, only more than before."""
        body: Json = {"total_available_places": n_places}
        return _study(self._calls.json("PATCH", f"/api/v1/studies/{study_id}/", body=body))

    def cost_cents(self, reward_cents: int, n_places: int) -> int:
        """Return what so many places at this reward cost, fees and taxes included."""
        body: Json = {"reward": reward_cents, "total_available_places": n_places}
        return round(_number(self._calls.json("POST", "/api/v1/study-cost-calculator/", body=body), "total_cost"))

    def purse(self, study_id: str) -> Purse | None:
        """Return the money that a study is paid from; None where the token may not see it."""
        try:
            project = _text(self._calls.json("GET", f"/api/v1/studies/{study_id}/"), "project")
            workspace = _text(self._calls.json("GET", f"/api/v1/projects/{project}/"), "workspace")
            found = self._calls.json("GET", f"/api/v1/workspaces/{workspace}/balance/")
            return Purse(_text(found, "currency_code"), round(_number(found, "available_balance")))
        except RecruiterError:
            # Only owners of a workspace see its balance, and publishing needs no more than a study.
            return None

    def submissions(self, study_id: str) -> tuple[Submission, ...]:
        """Return every submission of a study."""
        known: dict[str, Submission] = {}
        for page in self._pages(study_id):
            fresh = {submission.submission_id: submission for submission in page}
            if fresh.keys() <= known.keys():
                break
            known |= fresh
        return tuple(known.values())

    def submission(self, submission_id: str) -> tuple[Submission, tuple[int, ...]]:
        """Return a submission as it is now, and the bonuses that were paid on it."""
        found = self._calls.json("GET", f"/api/v1/submissions/{submission_id}/")
        paid = cast("list[float]", found.get("bonus_payments") or [])
        return _submission(found), tuple(round(amount) for amount in paid)

    def approve(self, submission_id: str) -> None:
        """Approve a submission, which pays its reward."""
        self._transition(submission_id, {"action": "APPROVE"})

    def reject(self, submission_id: str, message: str, category: str) -> None:
        """Reject a submission: its person is not paid, and reads the message."""
        self._transition(submission_id, {"action": "REJECT", "message": message, "rejection_category": category})

    def request_return(self, submission_id: str, reason: str) -> None:
        """Ask a person to return a submission."""
        body: Json = {"request_return_reasons": [reason]}
        self._calls.json("POST", f"/api/v1/submissions/{submission_id}/request-return/", body=body, repeats="unsafe")

    def upload_bonuses(self, study_id: str, cents: Sequence[tuple[str, int]]) -> BonusUpload:
        """Tell Prolific of bonuses by submission; this pays nothing."""
        lines = "\n".join(f"{submission_id},{amount // 100}.{amount % 100:02d}" for submission_id, amount in cents)
        body: Json = {"study_id": study_id, "csv_bonuses": lines}
        found = self._calls.json("POST", "/api/v1/submissions/bonus-payments/", body=body)
        return BonusUpload(_text(found, "id"), round(_number(found, "total_amount")))

    def pay_bonuses(self, batch_id: str) -> None:
        """Pay uploaded bonuses. Each call pays again, so never repeat it without asking what was paid."""
        response = self._calls.call("POST", f"/api/v1/bulk-bonus-payments/{batch_id}/pay/", repeats="unsafe")
        if response.status_code != _ACCEPTED:
            # A page of a firewall or of a proxy says nothing about what Prolific did.
            raise NoAnswer(
                f"Prolific answered with status {response.status_code} where {_ACCEPTED} says that bonuses will be paid; it may have done "
                "what it was asked."
            )

    def send_message(self, study_id: str, participant_id: str, text: str) -> None:
        """Write to a participant."""
        body: Json = {"recipient_id": participant_id, "study_id": study_id, "body": text}
        self._calls.call("POST", "/api/v1/messages/", body=body, repeats="unsafe")

    def create_group(self, workspace_id: str, name: str) -> str:
        """Create a participant group and return its id."""
        body: Json = {"workspace_id": workspace_id, "name": name}
        return _text(self._calls.json("POST", "/api/v1/participant-groups/", body=body, repeats="unsafe"), "id")

    def add_to_group(self, group_id: str, participant_ids: Sequence[str]) -> None:
        """Add people to a group; those who are in it stay in it."""
        body: Json = {"participant_ids": list(participant_ids)}
        self._calls.json("POST", f"/api/v1/participant-groups/{group_id}/participants/", body=body)

    def new_webhook_secret(self, workspace_id: str) -> str:
        """Make the secret that signs webhooks; the workspace's earlier one stops working."""
        body: Json = {"workspace_id": workspace_id}
        return _text(self._calls.json("POST", "/api/v1/hooks/secrets/", body=body), "value")

    def subscribe(self, workspace_id: str, target_url: str) -> None:
        """Have every change of a submission told to an address, and confirm that we want it."""
        body: Json = {
            "workspace_id": workspace_id, "event_type": "submission.status.change", "target_url": target_url,
        }  # fmt: skip
        response = self._calls.call("POST", "/api/v1/hooks/subscriptions/", body=body, repeats="unsafe")
        found = plain_of(response)
        created = found if isinstance(found, dict) and "id" in found else next(iter(_results(found)), {})
        handshake: Json = {"secret": _text(dict(response.headers), "x-hook-secret")}
        self._calls.json("POST", f"/api/v1/hooks/subscriptions/{_text(created, 'id')}/", body=handshake)

    def _transition(self, submission_id: str, body: Json) -> None:
        # The description calls this one idempotent.
        self._calls.json("POST", f"/api/v1/submissions/{submission_id}/transition/", body=body)

    def _pages(self, study_id: str) -> Iterator[tuple[Submission, ...]]:
        number, is_last = 1, False
        while not is_last:
            query = urlencode({"study": study_id, "page": number, "page_size": _PAGE_SIZE})
            try:
                found = _results(self._calls.json("GET", f"/api/v1/submissions/?{query}"))
            except RecruiterError as error:
                # The page after a full last page may be empty or not exist at all.
                if number == 1 or _NO_MORE_PAGES not in str(error):
                    raise
                return
            yield tuple(map(_submission, found))
            number, is_last = number + 1, len(found) < _PAGE_SIZE


def _results(found: object) -> list[Json]:
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, list):
        raise RecruiterError("Prolific answers without a list of results; its API may have changed.")
    return results


def _text(found: Mapping[str, object], name: str) -> str:
    value = found.get(name)
    if not isinstance(value, str):
        raise RecruiterError(f"Prolific answers without {name}; its API may have changed.")
    return value


def _number(found: Json, name: str) -> float:
    value = found.get(name)
    if not isinstance(value, int | float):
        raise RecruiterError(f"Prolific answers without {name}; its API may have changed.")
    return float(value)


def _study(found: Json) -> PlatformStudy:
    return PlatformStudy(
        _text(found, "id"), str(found.get("status", "")), round(_number(found, "total_available_places"))
    )


def _submission(found: Json) -> Submission:
    code = found.get("study_code") or found.get("entered_code")
    return Submission(
        submission_id=_text(found, "id"),
        participant_id=str(found.get("participant_id") or found.get("participant") or ""),
        status=_text(found, "status"),
        code=None if code is None else str(code),
        is_return_requested=found.get("return_requested") is not None,
        study_id=str(found.get("study_id") or ""),
    )
