"""Routes for annotators: their texts one at a time, blind to person, condition and every other answer."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from understudy.conduct.coding.room import Author, Given, SchemeState, code_fault, given_event
from understudy.conduct.coding.units import Unit
from understudy.errors import LogError
from understudy.schema import Record, sentences_from_validation
from understudy.schema.annotation import CodingScheme
from understudy.schema.events import DeskEvent
from understudy.schema.wire import (
    CodesReply,
    CodesRequest,
    CodingDesk,
    CodingTask,
    CodingTasks,
    Permission,
    QueuedUnit,
    ShownText,
    ShownUnit,
)
from understudy.serve.desk.admin_api import json_reply
from understudy.serve.desk.admin_login import require
from understudy.serve.desk.desk_acts import at_desk
from understudy.serve.desk.researchers import UNNAMED, Actor
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.running import RunningStudy
from understudy.serve.wire.messages import body_of
from understudy.serve.wire.written import written

Body = TypeVar("Body", bound=Record)
_LONGEST_NOTE = 2000
_LARGEST = 16 * 1024
_MEDIA = {"webm": "audio/webm", "mp4": "audio/mp4"}


class AtScheme(NamedTuple):
    """A request about one coding scheme, from somebody who may make it."""

    actor: Actor
    running: RunningStudy
    state: SchemeState


async def at_scheme(request: Request, permission: Permission) -> AtScheme:
    """Return the scheme that an address names, as the log has it now."""
    server_state, actor = await require(request, permission)
    running = server_state.study(request)
    scheme = running.study.scheme(str(request.path_params["scheme_id"]))
    if scheme is None:
        raise Refusal(404, "There is no such coding scheme in this study; go back to the list.")
    return AtScheme(actor, running, await _state(running, scheme))


async def _state(running: RunningStudy, scheme: CodingScheme) -> SchemeState:
    return await asyncio.to_thread(running.coding.state, scheme)


async def tasks(request: Request) -> Response:
    """List what the signed-in person may code, over all studies of the server."""
    server_state, actor = await require(request, "code")
    found: list[CodingTask] = []
    for running in server_state.studies.values():
        for scheme in running.study.annotation:
            state = await _state(running, scheme)
            n_left = state.n_left(actor.name)
            found.append(
                CodingTask(
                    study=running.name, study_title=running.study.title if actor.may("look") else "",
                    scheme_id=scheme.scheme_id, title=scheme.words, phase=state.book.phase,
                    n_coded=state.progress.get(actor.name, 0), n_left=n_left,
                )
            )  # fmt: skip
    answer = CodingTasks(tasks=tuple(found), may_settle=actor.may("settle"), can_code=actor.name != UNNAMED)
    return json_reply(written(answer))


async def coding_desk(request: Request) -> Response:
    """Return the code book and the annotator's own queue."""
    actor, _, state = await at_scheme(request, "code")
    scheme = state.scheme
    queue = state.queue(actor.name)
    mine = [(unit, state.said(unit)) for unit in queue]
    labels = (label for _, said in mine if actor.name in said.given for label in said.given[actor.name].codes or ())
    answer = CodingDesk(
        title=scheme.words, instruction=scheme.instruction, choose=scheme.choose, phase=state.book.phase,
        codes=state.book.codes, labels=tuple(sorted(set(labels))) if state.book.phase == "open" else (),
        queue=tuple(
            QueuedUnit(
                unit_id=unit.unit_id,
                codes=said.given[actor.name].codes if actor.name in said.given else None,
                note=said.given[actor.name].note if actor.name in said.given else "",
                revision=said.n_revisions.get(actor.name, 0),
            )
            for unit, said in mine
        ),
    )  # fmt: skip
    return json_reply(written(answer))


async def unit(request: Request) -> Response:
    """Return one text, without anything that tells whose it is."""
    _, running, state = await at_scheme(request, "code")
    return json_reply(written(shown_unit(running, asked_unit(request, state))))


def asked_unit(request: Request, state: SchemeState) -> Unit:
    """Return the text that an address names."""
    found = state.unit(str(request.path_params["unit_id"]))
    if found is None:
        raise Refusal(404, "There is no such text to code any more; reload the page.")
    return found


def shown_unit(running: RunningStudy, found: Unit) -> ShownUnit:
    """Return a text as annotators see it."""
    address = f"/api/admin/studies/{quote(running.name)}/annotation/{found.scheme.scheme_id}/units/{found.unit_id}"
    return ShownUnit(
        unit_id=found.unit_id,
        texts=tuple(ShownText(prompt=text.prompt, text=text.text) for text in found.texts),
        recordings=tuple(f"{address}/recordings/{number}" for number in range(len(found.recordings))),
    )


async def recording(request: Request) -> Response:
    """Play one recording, checked against the log before anybody codes it."""
    _, running, state = await at_scheme(request, "code")
    number = str(request.path_params["number"])
    parts = asked_unit(request, state).recordings
    if not number.isascii() or not number.isdecimal() or int(number) >= len(parts):
        raise Refusal(404, "There is no such recording.")
    part = parts[int(number)]
    try:
        await asyncio.to_thread(running.recordings.read, part)
    except LogError:
        raise Refusal(503, "This recording is missing or damaged; tell the researcher who runs the study.") from None
    media = _MEDIA[part.chunks[0].media]
    # A file and not its bytes: only a file answers the ranges that a browser asks for when somebody jumps ahead.
    return FileResponse(running.recordings.path_of(part), headers={"Cache-Control": "no-store"}, media_type=media)


async def give_codes(request: Request) -> Response:
    """Store what an annotator says about a text; a later word replaces an earlier one, and both stay in the log."""
    actor, running, state = await at_scheme(request, "code")
    if actor.name == UNNAMED:
        raise Refusal(
            403, "Codes need a name: add annotators with understudy researchers add RUN NAME --role annotator."
        )
    asked = await sent(request, CodesRequest)
    found = asked_unit(request, state)
    fault = code_fault(state, asked.codes)
    if fault is not None or len(asked.note) > _LONGEST_NOTE:
        raise unacceptable(fault or f"A note has at most {_LONGEST_NOTE} characters.")
    if found.unit_id not in {queued.unit_id for queued in state.queue(actor.name)}:
        raise Refusal(409, "Others have coded this text meanwhile; go on with the next one.")
    author = Author(actor.name, is_blind=actor.role == "annotator")

    def numbered(current: SchemeState) -> Callable[[int, int], DeskEvent]:
        known = current.said(found).n_revisions.get(actor.name, 0)
        if known != asked.revision:
            raise Refusal(409, "You coded this text in another window meanwhile; reload the page to see it.")
        return given_event(current, found, author, Given(asked.codes, asked.note.strip()))

    after = await store(running, found, numbered)
    reply = CodesReply(revision=after.said(found).n_revisions[actor.name], n_left=after.n_left(actor.name))
    return json_reply(written(reply))


async def store(
    running: RunningStudy, found: Unit, numbered: Callable[[SchemeState], Callable[[int, int], DeskEvent]]
) -> SchemeState:
    """Make what was said about a text durable, in turn with everything else about its session; return what follows."""
    async with running.opened(found.session_id) as live:
        # Asked again in the turn: two windows of one annotator may send at the same moment.
        make = numbered(await _state(running, found.scheme))
        number = await at_desk(running, found.session_id)
        await running.take_from_desk(live, make(number["seq"], number["at_ms"]))
    return await _state(running, found.scheme)


async def sent(request: Request, kind: type[Body]) -> Body:
    """Read the body of a request as a record."""
    try:
        return kind.model_validate_json(await body_of(request, _LARGEST) or b"{}")
    except ValidationError as error:
        raise unacceptable(" ".join(sentences_from_validation(error))) from None
