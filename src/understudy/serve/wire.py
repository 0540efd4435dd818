"""Wire: what pages send, read strictly, and what they are told, under names that tell nothing."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable, Collection, Mapping
from html import escape
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse

from understudy.recruiters import without_unseen
from understudy.schema import Interacted, Json, ResponseGiven, TrialShown
from understudy.schema.events import TOLERANCE_MS
from understudy.schema.wire import RefusalReply


def written(record: BaseModel) -> bytes:
    """Write a record as JSON, every default included, so that a page never has to know one."""
    return record.__pydantic_serializer__.to_json(record)


def written_around(
    record: BaseModel,
    parts: Mapping[str, bytes],
    *,
    leaves_out: frozenset[str] = frozenset(),
    leaves_out_none: bool = False,
) -> bytes:
    """Write a record whose named fields are written already.

    Trials and references are the same for everybody and make up most of a state; serialising them for
    each event again would cost more than the rest of the request. The result is the JSON that
    `written` gives, except for the order of the fields.
    """
    head = record.__pydantic_serializer__.to_json(record, exclude={*parts, *leaves_out}, exclude_none=leaves_out_none)
    fields = b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items())
    between = b"," if len(head) > 2 and fields else b""
    return b"%s%s%s}" % (head[:-1], between, fields)


def written_list(parts: list[bytes]) -> bytes:
    """Write a list whose members are written already."""
    return b"[%s]" % b",".join(parts)


# Refusals: the status and JSON body of a request that is not served.


class Refusal(Exception):
    """A request that is answered with a sentence and changes nothing."""

    def __init__(
        self, status: int, sentence: str, *, more: RefusalReply | None = None, state: bytes | None = None
    ) -> None:
        self.status = status
        reply = (more or RefusalReply()).model_copy(update={"error": sentence})
        self.body = written_around(reply, {} if state is None else {"state": state}, leaves_out_none=True)
        super().__init__(sentence)


def not_yours() -> Refusal:
    """Say that a token belongs to no session here."""
    return Refusal(401, "This link does not open a session here. Start again from the link you were given.")


class LostEvents(Refusal):
    """A page continues after events that the log does not hold: they were acknowledged to it, and are lost."""


def wrong_order(expected_seq: int) -> LostEvents:
    """Say which number the page must continue with; a page sends in order, so it was told that the ones before are stored."""
    return LostEvents(
        409, f"The next event must have number {expected_seq}; if the ones before were acknowledged, they are lost here.",
        more=RefusalReply(expected_seq=expected_seq, is_lost=True),
    )  # fmt: skip


def lost_session() -> LostEvents:
    """Say that a token was given out here, for a session that the log does not hold."""
    return LostEvents(
        401, "This session is not known here any more. Start again from the link you were given.",
        more=RefusalReply(is_lost=True),
    )  # fmt: skip


def conflicting(seq: int, expected_seq: int) -> Refusal:
    """Say that a number is taken by another event."""
    return Refusal(
        409, f"Event {seq} is stored with other content; nothing is ever edited, so go on with {expected_seq}.",
        more=RefusalReply(expected_seq=expected_seq),
    )  # fmt: skip


def unacceptable(sentence: str) -> Refusal:
    """Say what is wrong with the content of a request."""
    return Refusal(422, sentence)


def mixing() -> Refusal:
    """Say that simulated and real people are kept apart."""
    return Refusal(409, "Simulated and real people are never mixed in one study; this one holds the other kind.")


def too_fast() -> Refusal:
    """Ask the client to wait."""
    return Refusal(429, "Too many requests at once; wait a second and go on.")


# Wire names: what blocks and trials are called outside the server, so that no name tells the condition.

PageEvent: TypeAlias = TrialShown | Interacted | ResponseGiven
_N_LETTERS = 16
_NAMING_BLOCKS = frozenset({"reference_opened", "reference_closed"})
"""Actions whose payload names blocks."""


class WireNames:
    """The names of one session. Another session has other names for the same things, so that people cannot compare."""

    def __init__(self, key: bytes | None, session: str, blocks: Collection[str] = ()) -> None:
        self._key = None if key is None else hmac.new(key, f"names {session}".encode(), hashlib.sha256).digest()
        self._given: dict[str, str] = {}
        self._blocks = blocks
        self._block_of: dict[str, str] | None = None

    def of(self, name: str) -> str:
        """Return what a block or a trial is called outside."""
        if self._key is None:
            return name
        given = self._given.get(name)
        if given is None:
            digest = hmac.new(self._key, name.encode(), hashlib.sha256).digest()
            given = self._given[name] = base64.b32encode(digest).decode().lower()[:_N_LETTERS]
        return given

    def block_of(self, given: str) -> str:
        """Return the block that a page names, or an empty text for a name that was never given."""
        if self._key is None:
            return given
        if self._block_of is None:
            self._block_of = {self.of(block_id): block_id for block_id in self._blocks}
        return self._block_of.get(given, "")

    def read(self, event: PageEvent, trial_id: str, received_ms: int | None = None) -> PageEvent:
        """Return an event of a page with the names of the study and the time of receipt.

        `trial_id` is the only trial that it may be about. Both changes share one copy of the event.
        """
        changes: dict[str, object] = {} if received_ms is None else {"received_ms": received_ms}
        if self._key is not None:
            # A real name is not accepted: whether it is could be tried out, and would tell the condition.
            changes["trial_id"] = trial_id if event.trial_id == self.of(trial_id) else ""
            if event.type == "interacted" and event.action in _NAMING_BLOCKS:
                changes["payload"] = _renamed(event.payload, self.block_of)
        return event.model_copy(update=changes) if changes else event

    def written_payload(self, event: Interacted) -> Json:
        """Return the payload of a stored event as its page knows it."""
        return _renamed(event.payload, self.of) if event.action in _NAMING_BLOCKS else event.payload


PLAIN = WireNames(None, "")
"""The names of the study itself, for simulated people and researchers."""


def _renamed(payload: Json, rename: Callable[[str], str]) -> Json:
    blocks = payload.get("blocks")
    if not isinstance(blocks, list):
        return payload
    named: list[JsonValue] = [rename(name) if isinstance(name, str) else name for name in blocks]
    return {**payload, "blocks": named}


# Wire: read what a page sends, strictly and within limits.

_EVENTS: TypeAdapter[list[PageEvent]] = TypeAdapter(list[Annotated[PageEvent, Field(discriminator="type")]])
LARGEST = 2**53
"""The largest whole number that a browser represents exactly."""
EARLIEST_MS, LATEST_MS = 0, 253_402_300_799_000
"""From 1970 to the year 9999: clocks of participants may be wrong, but not outside this range."""
_JSON = "application/json"
_N_FIELDS = 30
_LONGEST = 300
_SERVER_FIELDS = frozenset({"session_id", "stream", "received_ms"})


async def body_of(request: Request, limit: int) -> bytes:
    """Read a JSON body, and stop as soon as it is too long."""
    # A form on another site cannot send this type; it could send others, and the browser would attach our cookie.
    if request.headers.get("content-type", _JSON).partition(";")[0].strip().lower() != _JSON:
        raise Refusal(415, "Send the body as application/json.")
    return await bytes_of(request, limit, f"The request is larger than {limit // 1024} kB; send fewer events at once.")


async def bytes_of(request: Request, limit: int, sentence: str) -> bytes:
    """Read a body, and refuse it with the sentence as soon as it is too long."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > limit:
        raise Refusal(413, sentence)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(request.app.state.server.settings.body_s):
            async for part in request.stream():
                size += len(part)
                if size > limit:
                    raise Refusal(413, sentence)
                parts.append(part)
    except TimeoutError:
        raise Refusal(408, "The request took too long to arrive; send it again.") from None
    except ClientDisconnect:
        raise Refusal(400, "The request broke off; send it again.") from None
    return b"".join(parts)


async def object_of(request: Request, limit: int, allowed: frozenset[str]) -> Json:
    """Read a body that is a JSON object with no other fields than those allowed."""
    plain = _plain(await body_of(request, limit) or b"{}")
    unknown = plain.keys() - allowed
    if unknown:
        raise unacceptable(f"{min(unknown)!r} is not known here. Known: {', '.join(sorted(allowed))}.")
    return plain


def events_from_body(body: bytes, session_id: str, n_most: int) -> list[TrialShown | Interacted | ResponseGiven]:
    """Read a batch of page events and add their session."""
    plain = _plain(body)
    sent = plain.get("events")
    if plain.keys() != {"events"} or not isinstance(sent, list):
        raise unacceptable('Send {"events": [...]} and nothing else.')
    if not 1 <= len(sent) <= n_most:
        raise unacceptable(f"A batch holds 1 to {n_most} events; this one holds {len(sent)}.")
    for fields in sent:
        if not isinstance(fields, dict) or not _SERVER_FIELDS.isdisjoint(fields):
            raise unacceptable(
                "An event is an object without session_id, stream and received_ms; the server adds them."
            )
        fields["session_id"] = session_id
    try:
        events = _EVENTS.validate_python(sent, strict=True)
    except ValidationError as error:
        raise unacceptable(_sentence(error)) from None
    first = events[0].seq
    for index, event in enumerate(events):
        if not abs(event.at_ms) < LARGEST or not 0 <= event.step < LARGEST or not event.seq < LARGEST:
            raise unacceptable(f"Event {index} holds a number that no page counts to.")
        if not EARLIEST_MS <= event.at_ms <= LATEST_MS:
            raise unacceptable(f"Event {index} happened at {event.at_ms} ms, which no page's clock can show.")
        if isinstance(event, ResponseGiven) and (event.active_ms or 0.0) > event.rt_ms + TOLERANCE_MS:
            raise unacceptable(f"Event {index} claims more active time than time; active_ms is part of rt_ms.")
        if event.seq != first + index:
            raise unacceptable(f"Events of a batch are numbered without gaps; {first + index} is missing.")
    return events


def fields_from(value: JsonValue) -> dict[str, str]:
    """Read the parameters that a recruiter put into the link."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(value) > _N_FIELDS:
        raise unacceptable(f"'recruiter' is an object of at most {_N_FIELDS} texts.")
    fields: dict[str, str] = {}
    for name, text in value.items():
        if not isinstance(text, str) or len(text) > _LONGEST or len(name) > _LONGEST:
            raise unacceptable(f"'recruiter' holds texts of at most {_LONGEST} characters.")
        fields[name] = without_unseen(text)
    return fields


def flag_from(plain: Json, name: str) -> bool:
    """Read a true or false that may be absent."""
    value = plain.get(name, False)
    if not isinstance(value, bool):
        raise unacceptable(f"{name!r} is true or false.")
    return value


def text_from(plain: Json, name: str) -> str:
    """Read a text that may be absent."""
    value = plain.get(name, "")
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise unacceptable(f"{name!r} is a text of at most {_LONGEST} characters.")
    return value


def _plain(body: bytes) -> Json:
    try:
        plain: Any = from_json(body, allow_inf_nan=False)
        # A lone surrogate is legal in some parsers and cannot be stored by any database.
        if isinstance(plain, dict):
            return plain
    except (ValueError, RecursionError):
        pass
    raise unacceptable("The body is not a JSON object.")


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"events.{where}: {first['msg']}."


# Notice pages: what people read when there is nothing else to show.

STYLE = "notice.css"
"""The one file of the front end whose name never changes; the pages read well without it, too."""


class Link(NamedTuple):
    """A link to another page."""

    address: str
    label: str


def notice_page(status: int, title: str, sentence: str, *, link: Link | None = None) -> HTMLResponse:
    """Return a page with one sentence; it needs no script, and no style to be read."""
    on = _button(link) if link else ""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">'
        f'<title>{escape(title)}</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="/static/{STYLE}"></head><body><main class="notice-page">'
        f'<div class="card message"><h1>{escape(title)}</h1><p class="lead">{escape(sentence)}</p>{on}'
        "</div></main></body></html>",
        status_code=status,
        headers={"Cache-Control": "no-store"},
    )


def with_way_back(page: bytes, link: Link) -> bytes:
    """Return a whole page, such as a report, with one link before all that is in it."""
    on = f'<nav style="padding:1rem"><a href="{escape(link.address)}">{escape(link.label)}</a></nav>'
    return page.replace(b"<body>", b"<body>" + on.encode(), 1)


def not_found() -> HTMLResponse:
    """Say that there is nothing here."""
    return notice_page(
        404, "There is nothing here", "Please check the link you were given, or ask the person who sent it to you."
    )


def _button(link: Link) -> str:
    return f'<p class="actions"><a class="button primary" href="{escape(link.address)}">{escape(link.label)}</a></p>'
