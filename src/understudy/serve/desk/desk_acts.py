"""Routes for researchers who act: exclude, label, pause recruitment; each act is entered with its author."""

import asyncio
from typing import Literal, TypedDict

from starlette.requests import Request
from starlette.responses import Response

from understudy.errors import UnderstudyError
from understudy.schema import AnnotationGiven, SessionExcluded
from understudy.schema.wire import DepositPage, Done, Permission
from understudy.serve.desk.admin_api import json_reply, known_session
from understudy.serve.desk.admin_login import require
from understudy.serve.desk.audit import audit_page, note_in
from understudy.serve.desk.researchers import Actor
from understudy.serve.participant_api import copy_of, copy_response
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.running import RunningStudy
from understudy.serve.wire.messages import flag_from, object_of, text_from
from understudy.serve.wire.written import written

_SMALL = 4096


class DeskNumber(TypedDict):
    """What all events of the desk's stream hold."""

    session_id: str
    stream: Literal["desk"]
    seq: int
    at_ms: int


async def at_desk(running: RunningStudy, session_id: str) -> DeskNumber:
    """Return the place of the next event of the desk; call it with the session locked."""
    seq = await asyncio.to_thread(running.served.log.last_seq, session_id, "desk") + 1
    return {"session_id": session_id, "stream": "desk", "seq": seq, "at_ms": running.now_ms()}


async def _at_session(request: Request, permission: Permission) -> tuple[Actor, RunningStudy, str]:
    """Return who acts, and on which session of which study."""
    server_state, actor = await require(request, permission)
    running = server_state.study(request)
    return actor, running, known_session(running, request)


async def exclude(request: Request) -> Response:
    """Take a session out of the sample, with a reason."""
    actor, running, session_id = await _at_session(request, "exclude")
    reason = text_from(await object_of(request, _SMALL, frozenset({"reason"})), "reason").strip()
    if not reason:
        raise unacceptable("Give a reason; it is shown in the participant flow of the report.")
    async with running.opened(session_id) as live:
        if live.session.excluded_by is not None:
            raise Refusal(409, f"The session is excluded already, by {live.session.excluded_by!r}.")
        excluded = SessionExcluded(
            **await at_desk(running, session_id), exclusion_id="desk", reason=reason, actor=actor.name
        )
        await running.take_from_desk(live, excluded)
    await note_in(running, actor.name, "session_excluded", session_id)
    return json_reply(written(Done()))


async def label(request: Request) -> Response:
    """Store what a researcher says about a session or one of its answers; a later label replaces an earlier one."""
    actor, running, session_id = await _at_session(request, "label")
    plain = await object_of(request, _SMALL, frozenset({"about", "label"}))
    about, text = text_from(plain, "about").strip(), text_from(plain, "label").strip()
    if not about or not text:
        raise unacceptable("A label needs two texts: what it is about, and the label itself.")
    async with running.opened(session_id) as live:
        given = AnnotationGiven(
            **await at_desk(running, session_id), trial_id=live.answered_trial(about), question_id=about,
            annotator=actor.name, code=text,
        )  # fmt: skip
        await running.take_from_desk(live, given)
    await note_in(running, actor.name, "session_labelled", session_id)
    return json_reply(written(Done()))


async def copy(request: Request) -> Response:
    """Return everything that is stored about the person of a session, for this person."""
    actor, running, session_id = await _at_session(request, "export")
    async with running.opened(session_id) as live:
        content = await asyncio.to_thread(copy_of, running, live, for_researchers=True)
    await note_in(running, actor.name, "data_copied", session_id)
    return copy_response(content)


async def erase(request: Request) -> Response:
    """Erase the person of a session at their request, as if they had done it themselves."""
    actor, running, session_id = await _at_session(request, "exclude")
    if not flag_from(await object_of(request, _SMALL, frozenset({"erase"})), "erase"):
        raise unacceptable('Send {"erase": true}; it cannot be undone.')
    async with running.opened(session_id) as live:
        if live.session.outcome is None:
            await running.end(live, "withdrew", "Erased by a researcher at the person's request.")
        await running.erase(session_id, live.participant_id)
    await note_in(running, actor.name, "data_erased")
    return json_reply(written(Done()))


async def recruitment(request: Request) -> Response:
    """Pause or resume recruitment: people who have begun can finish, and nobody new can start meanwhile."""
    server_state, actor = await require(request, "recruit")
    running = server_state.study(request)
    is_paused = flag_from(await object_of(request, _SMALL, frozenset({"is_paused"})), "is_paused")
    if is_paused != await asyncio.to_thread(running.served.log.is_paused, running.study.name):
        await note_in(running, actor.name, "recruitment_paused" if is_paused else "recruitment_resumed")
    running.recruitment.ask_again()
    return json_reply(written(Done()))


async def deposits(request: Request) -> Response:
    """List the result files that were set aside, and why."""
    server_state, _ = await require(request, "exclude")
    waiting = server_state.study(request).served.deposits
    found = () if waiting is None else await asyncio.to_thread(waiting.waiting, server_state.keyring)
    return json_reply(written(DepositPage(deposits=found)))


async def decide_deposit(request: Request) -> Response:
    """Take a result file that was set aside into the study, or delete it."""
    server_state, actor = await require(request, "exclude")
    running = server_state.study(request)
    plain = await object_of(request, _SMALL, frozenset({"name", "is_taken"}))
    name, is_taken, waiting = text_from(plain, "name"), flag_from(plain, "is_taken"), running.served.deposits
    if waiting is None:
        raise Refusal(404, "This study collects no result files.")
    try:
        await asyncio.to_thread(waiting.decide, server_state.keyring, name, is_taken=is_taken)
    except UnderstudyError as error:
        raise Refusal(409, str(error)) from None
    finally:
        # Whatever was decided, others may have become free to take.
        await running.count_collected()
    await note_in(running, actor.name, "deposit_taken" if is_taken else "deposit_deleted", name.partition(".")[0])
    return json_reply(written(Done()))


async def audit(request: Request) -> Response:
    """Return what researchers did last."""
    server_state, _ = await require(request, "audit")
    running = server_state.study(request)
    return json_reply(written(await asyncio.to_thread(audit_page, running)))
