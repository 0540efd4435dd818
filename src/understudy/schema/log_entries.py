"""Entries of a log besides events: desk actions, steps of payments, and registrations."""

from datetime import UTC, datetime
from typing import Literal, TypeAlias

from pydantic import AwareDatetime, Field

from understudy.schema.record import Record

DeskDeed: TypeAlias = Literal[
    "signed_in",
    "signed_out",
    "sign_in_refused",
    "session_opened",
    "session_excluded",
    "session_labelled",
    "deposit_taken",
    "deposit_deleted",
    "data_copied",
    "data_erased",
    "codes_settled",
    "code_book_changed",
    "agreement_opened",
    "report_opened",
    "export_downloaded",
    "recruitment_paused",
    "recruitment_resumed",
    "platform_paused",
    "unblinded",
    "look_reached",
    "look_opened",
]


class DeskAction(Record):
    """Something a researcher did at the dashboard."""

    at_ms: int
    study_name: str
    """Empty for what concerns the whole server, such as signing in."""
    actor: str
    """The researcher's name, or `admin token`."""
    action: DeskDeed
    session_hash: str | None = None
    """Which session, as the same one-way mark that a tombstone has: erasing a session needs no change here."""
    reason: str | None = None
    """Why, where the action asks for it."""


# Pay ledger: every step of every payment, entered before and after the platform is asked.

PayWay: TypeAlias = Literal["reward", "screen_out", "bonus", "list"]
"""reward: the recruiter's fixed reward, paid by approving; screen_out: its fixed amount for people who are screened out;
bonus: an amount on top; list: by hand, from a file."""
PayStep: TypeAlias = Literal["ordered", "accepted", "confirmed", "failed", "return_asked", "rejected"]
"""The last two are decisions of a researcher about a person's part in the study, with a reason and without money."""


class PayEntry(Record):
    """One step of a payment. What is owed follows from the events of the session."""

    study_name: str
    session_hash: str
    """Which session, as a one-way hash: erasing a session needs no change here, and money stays accounted for."""
    seq: int = Field(ge=1)
    """Counts the steps of one session, so that two programs cannot pay the same person at the same time."""
    at_ms: int
    step: PayStep
    """ordered: about to be asked of the recruiter; accepted: the recruiter took the order and will pay it; confirmed: the recruiter says that it is paid; failed: the recruiter
    says, or time has shown, that it is not."""
    way: PayWay
    cents: int = Field(ge=0)
    currency: str
    reason: str
    """Why it is paid, or why the recruiter did not."""
    order_id: str = ""
    """What the recruiter or a file calls the order; empty for money that was paid without one of ours."""
    actor: str = ""
    """Who ordered it."""


# A registration: a frozen study in the log, entered before anybody took part if it is to count.

Status: TypeAlias = Literal["registered", "planned", "exploratory"]
"""registered: frozen and recorded in the log before the first session. planned: the digest proves that the plan was fixed
before the data, but nobody can tell when. exploratory: everything else."""


class Registration(Record):
    """One entry of a frozen study in the log; entries are added and never changed."""

    study_name: str
    study_digest: str
    plan_digest: str
    frozen_at: AwareDatetime
    """When the study was frozen, to the second."""
    entered_ms: int
    """When the log took the entry, in milliseconds since 1970."""
    n_sessions_before: int
    """Sessions of people that the log held by then, erased ones included."""
    registry_link: str = ""
    """Where a public registry keeps the form."""
    timestamp_token: str = ""
    """A token of a timestamp authority (RFC 3161) in base64; kept and printed, not verified."""


def utc_second(at_ms: int) -> datetime:
    """Return a time of the log, rounded down to the second.

    >>> str(utc_second(1_772_366_401_900))
    '2026-03-01 12:00:01+00:00'
    """
    return datetime.fromtimestamp(at_ms // 1000, UTC)
