"""Small events for tests of the log."""

from understudy.schema import (
    Assignment,
    Ending,
    Event,
    Interacted,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    SessionStarted,
)

STUDY = "dials"


def started(
    session_id: str,
    *,
    study: str = STUDY,
    participant: str | None = None,
    kind: str = "person",
    condition: str = "plain",
) -> SessionStarted:
    """A session's first event."""
    return SessionStarted.model_validate(
        {
            "session_id": session_id,
            "seq": 1,
            "at_ms": 1000,
            "study_name": study,
            "study_digest": "d" * 64,
            "participant_id": participant or f"person-of-{session_id}",
            "participant_kind": kind,
            "assignment": Assignment(arrival=0, condition=condition, levels={"aid": condition}, seed=7),
        }
    )


def moved(session_id: str, seq: int, *, value: float = 0.5, at_ms: int | None = None) -> Interacted:
    """A dial moved on the page."""
    return Interacted(
        session_id=session_id,
        seq=seq,
        at_ms=2000 + seq if at_ms is None else at_ms,
        step=0,
        trial_id="t1",
        action="dial_moved",
        payload={"value": value},
    )


def answered(session_id: str, seq: int, response: dict[str, str | int]) -> ResponseGiven:
    """An answer given on the page."""
    return ResponseGiven(
        session_id=session_id, seq=seq, at_ms=3000 + seq, step=0, trial_id="t1", response={**response}, rt_ms=812.5
    )


def ended(session_id: str, seq: int = 2, *, outcome: Ending = "completed") -> SessionEnded:
    """The engine ended a session."""
    return SessionEnded(session_id=session_id, seq=seq, at_ms=9000, outcome=outcome)


def excluded(session_id: str, seq: int, exclusion_id: str) -> SessionExcluded:
    """The engine excluded a session."""
    return SessionExcluded(session_id=session_id, seq=seq, at_ms=9500, exclusion_id=exclusion_id, reason="too fast")


def moves(session_id: str, first: int, last: int) -> list[Event]:
    """Dial moves numbered from first to last."""
    return [moved(session_id, seq) for seq in range(first, last + 1)]
