"""The draft of a study at Prolific: what people read, what they earn, and what each completion code does."""

from collections.abc import Callable
from typing import NamedTuple

from understudy.recruiters.needs import listed_title
from understudy.recruiters.prolific import Prolific, screen_out_amounts
from understudy.schema import Json, Study
from understudy.schema.recruitment import SENT_BACK, SentBack


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
