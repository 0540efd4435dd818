"""Run sessions: materials and past events decide the next trial. Serving and simulating share this code."""

from understudy.conduct.assignment import (
    LEFT_EARLY,
    SESSION_STATUSES,
    Headcount,
    Ledger,
    SessionStatus,
    assign,
    headcount,
    session_status,
)
from understudy.conduct.scoring import Score, Scorer, StepEvents
from understudy.conduct.script import Script
from understudy.conduct.session import Ended, Resumed, Session, Step, is_derived, resume
from understudy.conduct.timing import Opening, current_part, opening_of
from understudy.conduct.visits import BlockVisit, balanced_order, references_at, visits_for

__all__ = [
    "LEFT_EARLY",
    "SESSION_STATUSES",
    "BlockVisit",
    "Ended",
    "Headcount",
    "Ledger",
    "Opening",
    "Resumed",
    "Score",
    "Scorer",
    "Script",
    "Session",
    "SessionStatus",
    "Step",
    "StepEvents",
    "assign",
    "balanced_order",
    "current_part",
    "headcount",
    "is_derived",
    "opening_of",
    "references_at",
    "resume",
    "session_status",
    "visits_for",
]
