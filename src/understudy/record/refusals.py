"""The errors for events that the log rejects."""

from understudy.errors import LogError
from understudy.schema import Event, SessionStarted


class SecondSession(LogError):
    """A participant with a session in a study tried to start another; `session_id` is the existing one."""

    def __init__(self, start: SessionStarted, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(
            f"Participant {start.participant_id!r} already has session {session_id!r} in study {start.study_name!r}; "
            "each participant takes part once, so resume that session."
        )


class StaleSession(LogError):
    """Another process stored events of a session that the sender of a batch did not know of."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"Session {session_id!r} has changed in the log since it was read; read it again and repeat the request."
        )


def unknown(event: Event) -> LogError:
    """Return the error for an event of a session that has not started."""
    return LogError(
        f"Session {event.session_id!r} has not started, so its {event.type} event cannot be kept; "
        "append session_started first."
    )


def erased(session_id: str) -> LogError:
    """Return the error for an event of an erased session."""
    return LogError(f"Session {session_id!r} was erased at the participant's request; it takes no more events.")


def gap(event: Event, expected: int) -> LogError:
    """Return the error for an event whose predecessor is missing."""
    return LogError(
        f"Session {event.session_id!r} expects number {expected} of stream {event.stream!r} next, but got "
        f"{event.seq}; send the missing events first."
    )


def conflict(event: Event) -> LogError:
    """Return the error for a number that another event already has."""
    return LogError(
        f"Event {event.seq} of stream {event.stream!r} in session {event.session_id!r} is in the log with different "
        "content; nothing is ever edited, so send it under the next number."
    )


def started_twice(event: Event) -> LogError:
    """Return the error for a second start of one session."""
    return LogError(f"Session {event.session_id!r} has started already; start another one under another id.")
