"""Wire: read what a page sends, strictly and within limits."""

import asyncio
from typing import Annotated, Any

from pydantic import Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from understudy.recruiters import without_unseen
from understudy.schema import Interacted, Json, ResponseGiven, TrialShown
from understudy.schema.events import TOLERANCE_MS
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.wire.wire_names import PageEvent

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
