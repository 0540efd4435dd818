"""Rebuild: the ledger of a study from its log, and the reasons not to serve that log."""

import contextlib
from collections import deque
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from understudy.conduct import Ledger, Script, resume
from understudy.errors import LogError
from understudy.record import Log, SessionSummary
from understudy.schema import SessionEnded, SessionExcluded, SessionStarted, Study

Kind: TypeAlias = Literal["person", "synthetic"]
N_LEARNED = 20
"""From so many sessions the times of pages are learned when a server starts: enough for a mean, and quickly read."""


class Counted(NamedTuple):
    """The ledger, the erased sessions, and the known sessions and participants."""

    ledger: Ledger
    erased: set[str]
    session_ids: set[str]
    participant_ids: frozenset[str]
    kinds: set[Kind]
    completed: tuple[str, ...]
    """The last sessions that were completed."""


def counted_from_log(log: Log, study: Study, digest: str, *, is_rehearsal: bool, heard_ms: int) -> Counted:
    """Build a ledger from a log's summaries and tombstones, and refuse a log with the wrong kind of people."""
    ledger = Ledger(study)
    tombstones = log.tombstones(study.name)
    kinds: set[Kind] = {tombstone.participant_kind for tombstone in tombstones}
    known: set[str] = set()
    session_ids: set[str] = set()
    completed = deque[str](maxlen=N_LEARNED)
    for summary in log.summaries(study.name):
        if summary.study_digest != digest:
            raise LogError(
                f"The log of {study.name!r} holds sessions of another version ({summary.study_digest[:12]}) than the "
                f"one to be served ({digest[:12]}); prepare this version into another folder."
            )
        kinds.add(summary.participant_kind)
        known.add(summary.participant_id)
        session_ids.add(summary.session_id)
        if summary.outcome == "completed":
            completed.append(summary.session_id)
        fold_summary(ledger, summary, study.name, heard_ms)
    _check_kinds(kinds, study.name, is_rehearsal=is_rehearsal)
    # An erased session used an arrival number too, which must not be given again.
    ledger.n_arrivals = max(ledger.n_arrivals, len(known) + len(tombstones))
    erased = {tombstone.session_hash for tombstone in tombstones}
    return Counted(ledger, erased, session_ids, frozenset(known), kinds, tuple(completed))


def learn_times(log: Log, script: Script, session_ids: Sequence[str]) -> None:
    """Tell a script how long pages took in earlier sessions, so that minutes left are right after a restart too."""
    for session_id in session_ids:
        # Erased meanwhile by another process, or unreadable: minutes left are an estimate, and need not know it.
        with contextlib.suppress(LogError):
            script.timetable.learn(resume(script, log.session(session_id)).session.steps)


def fold_summary(ledger: Ledger, summary: SessionSummary, study_name: str, heard_ms: int) -> None:
    """Count a session of the log as it is by now."""
    # Silence is counted from the start of the server: nothing could arrive while it was down.
    ledger.take(
        SessionStarted(
            session_id=summary.session_id, seq=1, at_ms=heard_ms, study_name=study_name,
            study_digest=summary.study_digest, participant_id=summary.participant_id,
            participant_kind=summary.participant_kind, assignment=summary.assignment,
        )
    )  # fmt: skip
    session_id, at_ms = summary.session_id, summary.last_event_ms
    if summary.outcome is not None:
        ledger.take(SessionEnded(session_id=session_id, seq=2, at_ms=at_ms, outcome=summary.outcome))
    if summary.excluded_by is not None:
        why = summary.excluded_by
        ledger.take(SessionExcluded(session_id=session_id, seq=3, at_ms=at_ms, exclusion_id=why, reason=why))


def _check_kinds(kinds: set[Kind], study_name: str, *, is_rehearsal: bool) -> None:
    if "synthetic" in kinds and not is_rehearsal:
        raise LogError(
            f"The log of {study_name!r} holds simulated people, and real ones are never mixed with them; prepare the "
            "study into a new folder, or add --rehearsal to let only simulated people in."
        )
    if "person" in kinds and is_rehearsal:
        raise LogError(
            f"The log of {study_name!r} holds real people, and simulated ones are never mixed with them; prepare the "
            "study into a new folder for the rehearsal."
        )
