"""Encode events as the JSON text that the log stores."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from understudy.errors import LogError
from understudy.schema import Event, SessionStarted, canonical_json, event_from_json, sentences_from_validation

_LIMIT_MS = 2**63
"""The largest integer that both databases store, plus one."""


class EncodedEvent(NamedTuple):
    """An event and its JSON text."""

    event: Event
    body: str


class Batch(NamedTuple):
    """Events that are appended together or not at all."""

    lines: tuple[EncodedEvent, ...]
    n_known: int | None = None
    """How many events of its one session the sender knows of; the log rejects the batch if it holds more or fewer.

    None: the sender is the only one who writes this session, and nothing is checked.
    """


def encode_events(events: Sequence[Event]) -> tuple[EncodedEvent, ...]:
    """Encode events, rejecting what a database cannot store."""
    return tuple(_line_of(event) for event in events)


def _line_of(event: Event) -> EncodedEvent:
    # PostgreSQL cannot store NUL in text, so neither database gets it.
    if "\x00" in event.session_id or (event.stream == "engine" and _names_nul(event)):
        raise LogError(f"Event {event.seq} of session {event.session_id!r} has a NUL character in a name; remove it.")
    if not -_LIMIT_MS <= event.at_ms < _LIMIT_MS:
        raise LogError(
            f"Event {event.seq} of session {event.session_id!r} happened at {event.at_ms} ms, which is out of range; "
            "send milliseconds since 1970."
        )
    try:
        # The JSON of `model_dump_json`, without a third of its time: moves of a slider come by the thousand.
        return EncodedEvent(event, event.__pydantic_serializer__.to_json(event).decode())
    except (PydanticSerializationError, UnicodeError):
        raise LogError(
            f"Event {event.seq} of session {event.session_id!r} holds text that is not valid Unicode; send whole "
            "characters."
        ) from None


def _names_nul(event: Event) -> bool:
    if not isinstance(event, SessionStarted):
        return False
    names = (event.study_name, event.study_digest, event.participant_id, event.assignment.condition)
    return any("\x00" in name for name in names)


def event_from_body(body: str, label: str) -> Event:
    """Read an event back from its text."""
    try:
        return event_from_json(body)
    except ValidationError as error:
        fault = sentences_from_validation(error)[0]
        raise LogError(f"The event log {label} holds an event that this software cannot read: {fault}") from error


def is_same_event(line: EncodedEvent, stored: str) -> bool:
    """Tell whether a resent event equals the stored one, ignoring the order of keys."""
    return line.body == stored or _canonical(line.event) == _canonical(event_from_json(stored))


def _canonical(event: Event) -> str:
    # The same event has another time of receipt whenever it is sent again.
    return canonical_json(event.model_dump(mode="json", exclude={"received_ms"}))


# Hashes of session ids, by which the log recognises a session it has erased.


def session_hash(session_id: str) -> str:
    """Return the one-way hash of a session id; the id can be checked against it but not read from it."""
    return f"sha256:{hashlib.sha256(session_id.encode()).hexdigest()}"


def tombstone_ids(session_id: str) -> tuple[str, str]:
    """Return every id under which a tombstone may store a session; early logs stored the session id itself."""
    return session_hash(session_id), session_id
