"""Desk actions: what researchers did, and what a plan decided, for the audit log. Labels and exclusions are events of their session as well."""

from typing import Literal, TypeAlias

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
