"""Events: the only thing a session produces. Append-only, numbered, never edited."""

from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from understudy.schema.annotation import CodingPhase
from understudy.schema.factors import Assignment
from understudy.schema.record import Json, Record

Stream: TypeAlias = Literal["page", "engine", "desk", "recorder"]
"""Who numbers the event: the participant's page, the engine that conducts, the researchers' desk, or the server as it
stores recordings.

Each numbers its own events from 1, so a page that resends and a researcher who excludes never collide; the order of a
session is the order of commitment."""

TOLERANCE_MS = 2000
"""By how much a page may claim more time than the server saw: clocks differ, and messages take a moment."""

Ending: TypeAlias = Literal["completed", "screened_out", "declined", "excluded", "withdrew", "abandoned"]


class _Happened(Record):
    session_id: str
    seq: int = Field(ge=1)
    at_ms: int
    """Milliseconds since 1970, by the clock of the party that numbers the stream."""


class _OnPage(_Happened):
    received_ms: int | None = Field(
        default=None, exclude_if=lambda value: value is None, json_schema_extra={"may_be_absent": True}
    )
    """When the server received it, by the server's clock; None for simulated people, pages without a server, and logs
    of earlier versions."""


class SessionStarted(_Happened):
    """A participant was given a place."""

    type: Literal["session_started"] = "session_started"
    stream: Stream = "engine"
    study_name: str
    study_digest: str
    participant_id: str
    """A pseudonym; the recruiter's id is stored elsewhere."""
    participant_kind: Literal["person", "synthetic"]
    cast: str | None = None
    """Which simulated person this is; absent for people."""
    assignment: Assignment


class TrialShown(_OnPage):
    """A trial appeared on the screen."""

    type: Literal["trial_shown"] = "trial_shown"
    stream: Stream = "page"
    step: int
    """Counts presentations in the session from 0; a trial shown again in another try is another step."""
    trial_id: str


class ResponseGiven(_OnPage):
    """An answer was committed."""

    type: Literal["response_given"] = "response_given"
    stream: Stream = "page"
    step: int
    trial_id: str
    response: Json
    """Question id -> answer."""
    rt_ms: float = Field(ge=0)
    active_ms: float | None = Field(default=None, ge=0)
    """Time with the page in use, without idle periods."""


class Interacted(_OnPage):
    """Something happened inside a trial: a dial moved, earlier material opened, focus lost."""

    type: Literal["interacted"] = "interacted"
    stream: Stream = "page"
    step: int
    trial_id: str
    action: str
    payload: Json = {}


class GateDecided(_Happened):
    """A gate let the participant continue, sent them back, or ended the session."""

    type: Literal["gate_decided"] = "gate_decided"
    stream: Stream = "engine"
    block_id: str
    try_number: int
    score: float | None
    is_passed: bool


class SessionEnded(_Happened):
    """The session ended, in any way."""

    type: Literal["session_ended"] = "session_ended"
    stream: Stream = "engine"
    outcome: Ending
    reason: str = ""
    block_id: str | None = None


class SessionExcluded(_Happened):
    """A declared exclusion, or a researcher with a reason, took the session out of the sample."""

    type: Literal["session_excluded"] = "session_excluded"
    stream: Stream = "engine"
    exclusion_id: str
    reason: str
    actor: str = "rule"


class SessionFlagged(_Happened):
    """The engine noticed something that researchers should look at; it excludes nobody by itself."""

    type: Literal["session_flagged"] = "session_flagged"
    stream: Stream = "engine"
    flag: Literal["impossible_times"]
    reason: str
    """One plain sentence for researchers."""


class EarnedBonus(Record):
    """What one rule of the study adds to the pay."""

    measure: str
    score: float
    amount: float


class PaySettled(_Happened):
    """What the participant earns was computed."""

    type: Literal["pay_settled"] = "pay_settled"
    stream: Stream = "engine"
    currency: str
    base: float
    bonus: float
    earned: tuple[EarnedBonus, ...] = Field(
        default=(), exclude_if=lambda rules: not rules, json_schema_extra={"may_be_absent": True}
    )
    """The bonus by rule; empty without one, and in logs of earlier versions."""


class RecordingStored(_Happened):
    """A few seconds of a participant's voice were stored as a further chunk of a file outside the log."""

    type: Literal["recording_stored"] = "recording_stored"
    stream: Stream = "recorder"
    block_id: str
    part: int = Field(ge=1)
    """Counts the session's files from 1; a reload or a pause begins another."""
    chunk: int = Field(ge=1)
    """Counts the chunks of the file from 1."""
    started_ms: int
    """When the file begins, by the clock of the page."""
    media: Literal["webm", "mp4"]
    n_bytes: int = Field(ge=1)
    sha256: str
    """Of the chunk's bytes."""


class AnnotationGiven(_Happened):
    """A researcher coded an answer."""

    type: Literal["annotation_given"] = "annotation_given"
    stream: Stream = "desk"
    trial_id: str
    question_id: str
    annotator: str
    code: str


class CodesGiven(_Happened):
    """An annotator coded a text or a recording by a coding scheme, changed the codes, or took them back."""

    type: Literal["codes_given"] = "codes_given"
    stream: Stream = "desk"
    scheme_id: str
    unit_id: str
    """Which text or person, by a one-way mark that tells nothing about either."""
    content_digest: str
    """Of what the annotator read or heard."""
    annotator: str
    annotator_kind: Literal["person", "synthetic"] = "person"
    is_blind: bool
    """Whether the annotator's role shows neither conditions nor other answers."""
    phase: CodingPhase
    codes: tuple[str, ...] | None
    """Codes, or labels of open coding; None takes back what was given."""
    note: str = ""
    revision: int = Field(ge=1)
    """Counts what this annotator said about this text from 1; the last one counts."""
    n_wanted: int = Field(ge=1)
    """How many annotators the text gets."""
    n_units: int = Field(ge=1)
    """How many texts of this person the scheme has."""


class CodesSettled(_Happened):
    """A researcher decided which codes count where annotators disagree, with a reason."""

    type: Literal["codes_settled"] = "codes_settled"
    stream: Stream = "desk"
    scheme_id: str
    unit_id: str
    actor: str
    codes: tuple[str, ...]
    reason: str


Event: TypeAlias = Annotated[
    SessionStarted
    | TrialShown
    | ResponseGiven
    | Interacted
    | GateDecided
    | SessionEnded
    | SessionExcluded
    | SessionFlagged
    | PaySettled
    | RecordingStored
    | AnnotationGiven
    | CodesGiven
    | CodesSettled,
    Field(discriminator="type"),
]
DeskEvent: TypeAlias = SessionExcluded | AnnotationGiven | CodesGiven | CodesSettled
"""What researchers and annotators say about a session."""
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)


def seen_ms(event: Event) -> int:
    """Return when something happened by the server's clock, or by the page's where no server saw it."""
    received_ms: int | None = getattr(event, "received_ms", None)
    return event.at_ms if received_ms is None else received_ms


def page_span_ms(events: Iterable[Event]) -> int | None:
    """Return the time from the first to the last event of the page, without breaks; None without any event.

    It is at most what the server saw.
    """
    on_page = [event for event in events if event.stream == "page"]
    if not on_page:
        return None
    first, last = on_page[0], on_page[-1]
    spans = [last.at_ms - first.at_ms]
    if getattr(first, "received_ms", None) is not None:
        spans.append(seen_ms(last) - seen_ms(first) + TOLERANCE_MS)
    return max(0, min(spans) - _break_ms(on_page))


def _break_ms(on_page: Iterable[Event]) -> int:
    """Return how long the announced breaks took; one that was never ended, as after a reload, counts as work."""
    total, began = 0, None
    for event in on_page:
        if isinstance(event, Interacted) and event.action == "break_started":
            began = event.at_ms
        elif isinstance(event, Interacted) and event.action == "break_ended" and began is not None:
            total, began = total + max(0, event.at_ms - began), None
    return total


def event_from_json(value: JsonValue | str | bytes) -> Event:
    """Read one event from JSON text or plain JSON."""
    if isinstance(value, str | bytes):
        return _ADAPTER.validate_json(value)
    return _ADAPTER.validate_python(value)
