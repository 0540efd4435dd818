"""A registration: a frozen study in the log, entered before anybody took part if it is to count."""

from datetime import UTC, datetime
from typing import Literal, TypeAlias

from pydantic import AwareDatetime

from understudy.schema.record import Record

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
