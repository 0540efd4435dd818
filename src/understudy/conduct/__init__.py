"""Run sessions: materials and past events decide the next trial. Serving and simulating share this code."""

from understudy.conduct.assigning import assign
from understudy.conduct.balanced_order import balanced_order
from understudy.conduct.block_visits import BlockVisit, visits_for
from understudy.conduct.gating import references_at
from understudy.conduct.headcount import (
    LEFT_EARLY,
    SESSION_STATUSES,
    Headcount,
    SessionStatus,
    headcount,
    session_status,
)
from understudy.conduct.ledger import Ledger
from understudy.conduct.parts import Opening, current_part, opening_of
from understudy.conduct.resume import Resumed, is_derived, resume
from understudy.conduct.scoring import Score, Scorer, StepEvents
from understudy.conduct.script import Script
from understudy.conduct.session import Ended, Session, Step

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
