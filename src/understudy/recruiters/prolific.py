"""Prolific: names people by PROLIFIC_PID, and knows one completion code for each way a session can end."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple
from urllib.parse import urlencode

from pydantic import Field

from understudy.errors import RecruiterError
from understudy.recruiters.platform import BonusOrder, PaidSubmission, SubmissionStatus, listed_title, platform_needs
from understudy.recruiters.prolific_api import ProlificApi, Submission
from understudy.registry import register
from understudy.schema import Gate, Json, Record, Stop, Study, blocks_in
from understudy.schema.study import SENT_BACK, SentBack

_BACK = "https://app.prolific.com/submissions/complete"
_CURRENCIES = ("GBP", "USD")


@register("recruiters", "prolific")
class Prolific(Record):
    """Sends people whose link carries their Prolific ID; `understudy recruit` and `understudy pay` use its API."""

    id_parameters: ClassVar[tuple[str, ...]] = ("PROLIFIC_PID",)
    has_fixed_codes: ClassVar[bool] = True
    approval: Literal["by_hand", "automatic"] = "by_hand"
    """by_hand: submissions wait until you approve them with `understudy pay`; automatic: Prolific approves everybody
    who comes back with the code of a completed session."""
    screen_outs: int = Field(default=0, ge=0, le=1_000_000)
    """How many people may be screened out at a fixed reward; only some workspaces have that. With 0, people who are
    screened out are asked to return their submission, and what they earned is paid as a bonus."""
    filters: tuple[Json, ...] = ()
    """Who may take part, as Prolific's API describes filters; everybody when empty."""
    allowed_group: str = ""
    """The id of a participant group: only its members may take part, such as the people of part 1."""
    blocked_group: str = ""
    """The id of a participant group whose members may not take part, such as earlier participants."""
    adds_to_group: str = ""
    """The id of a participant group that everybody joins who comes back with any code."""
    project: str = ""
    """The id of the project that the study is created in; your first one when empty."""

    def missing_from(self, study: Study) -> tuple[str, ...]:
        """Return what Prolific needs and the study file does not say."""
        return (*platform_needs(study, "Prolific", currencies=_CURRENCIES), *self._own_needs(study))

    def way_back(self, ending: SentBack, code: str, fields: Mapping[str, str]) -> str | None:
        """Return the completion address with the code of the ending."""
        return f"{_BACK}?{urlencode({'cc': code})}"

    def _own_needs(self, study: Study) -> Iterator[str]:
        amounts = screen_out_amounts(study)
        if self.screen_outs and len(amounts) != 1:
            told = ", ".join(f"{amount:.2f}" for amount in sorted(amounts)) or "none"
            yield (
                f"Prolific pays one fixed amount to everybody who is screened out, but the gates and stops of this study pay {told}. "
                "Give them the same pay_amount, or write screen_outs = 0 to pay by bonus."
            )
        elif self.screen_outs and study.pay is not None and not 0 < min(amounts) < study.pay.base:
            yield (
                f"Prolific's fixed pay for people who are screened out must be more than 0 and less than pay.base, but is "
                f"{min(amounts):.2f}; change pay_amount, or write screen_outs = 0."
            )


def screen_out_amounts(study: Study) -> set[float]:
    """Return every amount that a person can earn by being screened out."""
    base = study.pay.base if study.pay is not None else 0.0
    rules: list[Gate | Stop] = []
    for block in blocks_in(study.flow):
        rules += [block.gate] if block.gate is not None and block.gate.on_fail == "screen_out" else []
        rules += [stop for stop in block.stops if stop.outcome == "screened_out"]
    return {round(rule.pay_amount if rule.pay_amount is not None else base * rule.pay_share, 2) for rule in rules}


# The draft of a study at Prolific: what people read, what they earn, and what each completion code does.


class _Code(NamedTuple):
    code_type: str
    return_reason: str
    """Why people are asked to return their submission."""


_RETURNED: dict[SentBack, _Code] = {
    "screened_out": _Code("SCREENED_OUT", "You did not meet the requirements of this study."),
    "declined": _Code("NO_CONSENT", "You did not agree to take part."),
    "withdrew": _Code("OTHER", "You stopped before the end."),
    "abandoned": _Code("OTHER", "The time for this study had run out."),
    "full": _Code("OTHER", "All places of this study were taken."),
}


def internal_name(study: Study) -> str:
    """Return the name by which the draft is found again, which participants do not see."""
    return f"{study.name} {study.digest[:12]}"


def cents(amount: float) -> int:
    """Return an amount of money in cents or pence."""
    return round(amount * 100)


def draft_from(study: Study, prolific: Prolific, address: str, code_of: Callable[[SentBack], str]) -> Json:
    """Return the draft of a checked study whose pages are served at an address."""
    pay, recruitment = study.pay, study.recruitment
    if pay is None or recruitment is None or pay.expected_minutes is None:
        raise ValueError("a checked study has pay, minutes and recruitment")
    fields = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    query = "&".join(f"{field}={{{{%{field}%}}}}" for field in fields)
    draft: Json = {
        "name": listed_title(study),
        "internal_name": internal_name(study),
        "description": recruitment.description,
        "external_study_url": f"{address.rstrip('/')}/s/{study.name}?{query}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [_completion_code(study, prolific, ending, code_of(ending)) for ending in SENT_BACK],
        "total_available_places": study.n_places,
        "estimated_completion_time": max(1, round(pay.expected_minutes)),
        "reward": cents(pay.base),
        "device_compatibility": list(recruitment.devices),
        "filters": [*prolific.filters, *_group_filters(prolific)],
        "submissions_config": {"max_submissions_per_participant": 1},
    }
    return draft | ({"project": prolific.project} if prolific.project else {})


def _completion_code(study: Study, prolific: Prolific, ending: SentBack, code: str) -> Json:
    returned = _RETURNED.get(ending)
    if ending == "screened_out" and prolific.screen_outs:
        fixed = cents(min(screen_out_amounts(study)))
        code_type = "FIXED_SCREENOUT"
        action: Json = {
            "action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": fixed, "slots": prolific.screen_outs,
        }  # fmt: skip
    elif returned is not None:
        code_type = returned.code_type
        action = {"action": "REQUEST_RETURN", "return_reason": _return_reason(study, ending, returned.return_reason)}
    else:
        # People whom a rule excluded did take part: they are looked at by a human, and never rejected by a rule.
        code_type = "COMPLETED" if ending == "completed" else "OTHER"
        is_automatic = ending == "completed" and prolific.approval == "automatic"
        action = {"action": "AUTOMATICALLY_APPROVE" if is_automatic else "MANUALLY_REVIEW"}
    actions: list[Json] = [action]
    if prolific.adds_to_group and ending != "full":
        actions.append({"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": prolific.adds_to_group})
    return {"code": code, "code_type": code_type, "actions": [*actions], "actor": "participant"}


def _return_reason(study: Study, ending: SentBack, reason: str) -> str:
    """Say why the submission should be returned, and that doing so loses nothing that was earned."""
    is_paid = ending == "screened_out" and any(screen_out_amounts(study))
    return f"{reason} When you have returned it, you are paid for your time by a bonus." if is_paid else reason


def _group_filters(prolific: Prolific) -> list[Json]:
    named = {
        "participant_group_allowlist": prolific.allowed_group,
        "participant_group_blocklist": prolific.blocked_group,
    }
    return [{"filter_id": name, "selected_values": [group]} for name, group in named.items() if group]


# Prolific's webhooks: whether a message is genuine and fresh, and which submission it is about.

SIGNATURE = "x-prolific-request-signature"
TIMESTAMP = "x-prolific-request-timestamp"
EVENT_ID = "x-event-id"
OLDEST_S = 15 * 60
"""How far the platform's clock and ours may differ, delivery included; a recorded message cannot be sent again later."""


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a message: base64 of the HMAC-SHA256 over timestamp and raw body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def require_genuine(secret: str, headers: Mapping[str, str], body: bytes, now_s: float) -> None:
    """Raise RecruiterError for a message that Prolific did not sign, or signed too long ago."""
    timestamp, given = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    if not hmac.compare_digest(given.encode(), signature_of(secret, timestamp, body).encode()):
        raise RecruiterError("The message is not signed with the webhook secret of this server.")
    if not timestamp.isdigit() or abs(now_s - int(timestamp)) > OLDEST_S:
        raise RecruiterError("The message is signed for another time; check the clock of this server.")


def submission_in(body: bytes) -> str | None:
    """Return the submission that a message is about; None for messages about something else."""
    try:
        told = json.loads(body)
    except ValueError:
        raise RecruiterError("The message is not JSON.") from None
    if not isinstance(told, dict) or not str(told.get("event_type", "")).startswith("submission."):
        return None
    return str(told["resource_id"]) if told.get("resource_id") else None


# Prolific as a pay desk: rewards by approval, bonuses in two steps, of which only the second pays.

_STATUS: dict[str, SubmissionStatus] = {
    "RESERVED": "active",
    "ACTIVE": "active",
    "AWAITING REVIEW": "waiting",
    "PARTIALLY APPROVED": "approved",
    "APPROVED": "approved",
    "RETURNED": "returned",
    "TIMED-OUT": "timed_out",
    "SCREENED OUT": "screened_out",
    "REJECTED": "rejected",
}


def status_of(submission: Submission) -> SubmissionStatus:
    """Return the status of a submission in our words."""
    # Prolific's own list ends with UNKNOWN, and may grow; one such person must not keep everybody else from being paid.
    return _STATUS.get(submission.status, "unclear")


class ProlificDesk:
    """Pays the people of one study at Prolific."""

    def __init__(self, api: ProlificApi, study_id: str, *, reward_cents: int, fixed_cents: int = 0) -> None:
        self._api, self._study_id = api, study_id
        self._reward_cents, self._fixed_cents = reward_cents, fixed_cents

    @property
    def most_bonuses(self) -> int:
        """As many as Prolific recommends."""
        return 200

    def submissions(self) -> Sequence[PaidSubmission]:
        """Return everybody's submission, without bonuses."""
        return [self._paid(submission) for submission in self._api.submissions(self._study_id)]

    def submission(self, submission_id: str) -> PaidSubmission:
        """Return one submission with its bonuses."""
        submission, bonuses = self._api.submission(submission_id)
        return self._paid(submission, sum(bonuses))

    def approve(self, submission_id: str) -> None:
        """Approve a submission."""
        self._api.approve(submission_id)

    def prepare_bonuses(self, orders: Sequence[BonusOrder]) -> str:
        """Upload bonuses, which pays nothing."""
        return self._api.upload_bonuses(
            self._study_id, [(order.submission_id, order.cents) for order in orders]
        ).batch_id

    def pay_bonuses(self, order_id: str, orders: Sequence[BonusOrder]) -> None:
        """Pay an upload. Each call pays again."""
        self._api.pay_bonuses(order_id)

    def _paid(self, submission: Submission, bonus_cents: int = 0) -> PaidSubmission:
        status = status_of(submission)
        return PaidSubmission(
            submission.submission_id,
            submission.participant_id,
            status,
            self._reward_cents,
            fixed_cents=self._fixed_cents if status == "screened_out" else 0,
            bonus_cents=bonus_cents,
            is_return_requested=submission.is_return_requested,
        )
