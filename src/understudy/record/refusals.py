"""What the log refuses to take, in words."""

from understudy.errors import LogError
from understudy.schema import Event, SessionStarted


class SecondSession(LogError):
    """A participant who has a session in a study tried to start another; `session_id` is the one they have."""

    def __init__(self, start: SessionStarted, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(
            f"Participant {start.participant_id!r} already has session {session_id!r} in study {start.study_name!r}; "
            "nobody takes a study twice, so resume that session."
        )


def unknown(event: Event) -> LogError:
    """Say that a session has not started."""
    return LogError(
        f"Session {event.session_id!r} has not started, so its {event.type} event cannot be kept; "
        "append session_started first."
    )


def erased(session_id: str) -> LogError:
    """Say that a session was erased."""
    return LogError(f"Session {session_id!r} was erased at the participant's wish; it takes no more events.")


def gap(event: Event, expected: int) -> LogError:
    """Say which number a stream expects."""
    return LogError(
        f"Session {event.session_id!r} expects number {expected} of stream {event.stream!r} next, but got "
        f"{event.seq}; send the missing events first."
    )


def conflict(event: Event) -> LogError:
    """Say that a number is taken by another event."""
    return LogError(
        f"Event {event.seq} of stream {event.stream!r} in session {event.session_id!r} is in the log with different "
        "content; nothing is ever edited, so send it under the next number."
    )


def started_twice(event: Event) -> LogError:
    """Say that a session has begun already."""
    return LogError(f"Session {event.session_id!r} has started already; start another one under another id.")
