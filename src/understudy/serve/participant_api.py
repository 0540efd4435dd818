"""Routes for participants: start, state, events, withdrawal."""

import asyncio
from collections.abc import Mapping
from typing import Literal, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from understudy.conduct.follow_up import standing_of
from understudy.record import SessionSummary
from understudy.recruiters import recruiter_id_of
from understudy.schema.wire import RefusalReply, StudyFull, StudyRefused
from understudy.serve import synthetic_routes
from understudy.serve.people.admission import SIGNATURE
from understudy.serve.people.arrivals import Newcomer, TookPart
from understudy.serve.refusals import LostEvents, Refusal, lost_session, not_yours, too_fast
from understudy.serve.running import RunningStudy
from understudy.serve.served import nobody
from understudy.serve.server_state import ServerState, address_of, server_state_of
from understudy.serve.sessions.live import Live
from understudy.serve.sessions.session_store import ErasedSession
from understudy.serve.tokens import new_participant_id
from understudy.serve.wire.messages import body_of, events_from_body, fields_from, flag_from, object_of, text_from
from understudy.serve.wire.written import written

Refused: TypeAlias = Literal["repeat", "link", "paused", "erased", "uninvited", "early", "late"]
_MONTH_S = 30 * 24 * 3600
_SMALL = 32 * 1024
_START_FIELDS = frozenset({"recruiter", "language", "preview"}) | synthetic_routes.FIELDS


async def start(request: Request) -> Response:
    """Start a session, or return to one."""
    server_state = server_state_of(request)
    running = server_state.study(request)
    if not server_state.arrival_limit.allows(address_of(request)):
        raise too_fast()
    plain = await object_of(request, _SMALL, _START_FIELDS)
    fields = fields_from(plain.get("recruiter"))
    text_from(plain, "language")
    simulated = synthetic_routes.synthetic_participant_from(request, server_state, plain)
    if simulated is not None:
        newcomer = Newcomer(simulated.participant_id, kind="synthetic", cast=simulated.cast)
        return await _let_in(request, server_state, running, newcomer)
    if flag_from(plain, "preview"):
        return _json(server_state.states.preview_of(running.public, running.preview()))
    recruiter_id = recruiter_id_of(fields)
    returning = await _session_of_token(request, server_state, running)
    # Also before somebody is let back in: an id without its signature must not open another person's session.
    if not running.admission.allows(fields, recruiter_id) and (recruiter_id or returning is None):
        return _refused(running, "link")
    fields.pop(SIGNATURE, None)
    participant_id = server_state.keyring.participant_id(recruiter_id) if recruiter_id else new_participant_id()
    session_id = await running.session_of(participant_id) if recruiter_id else returning
    if session_id is not None:
        return await _entered(request, server_state, running, session_id, status=200)
    if recruiter_id and await _took_part_elsewhere(server_state, running, participant_id):
        return _refused(running, "repeat")
    if recruiter_id and await running.departed.holds(participant_id):
        return _refused(running, "erased")
    if await running.recruitment.is_paused():
        return _refused(running, "paused", fields)
    if running.newcomers is not None and not running.newcomers.allows(""):
        raise Refusal(429, "Many people are starting just now; please try again in a few minutes.")
    condition = None
    if (follows := running.study.follows) is not None:
        earlier = await asyncio.to_thread(_earlier_part, running, participant_id)
        standing = standing_of(follows, earlier, running.now_ms)
        if earlier is None or standing != "welcome":
            refused = "uninvited" if standing == "welcome" else standing
            return _refused(running, refused, fields)
        condition = earlier.assignment.condition if follows.keeps_condition else None
    return await _let_in(request, server_state, running, Newcomer(participant_id, fields, condition=condition))


async def may_be_new(request: Request, server_state: ServerState, running: RunningStudy) -> bool:
    """Tell whether a link may start a session, as far as that tells nothing about the person whose id it has."""
    fields = dict(request.query_params)
    if running.study.follows is not None or not running.admission.allows(fields, recruiter_id_of(fields)):
        return False
    if await _session_of_token(request, server_state, running) is not None:
        return False
    return running.ledger.has_room() and not await running.recruitment.is_paused()


async def resumed_state(request: Request, server_state: ServerState, running: RunningStudy) -> bytes | None:
    """Return what `start` answers people who come back with their cookie; None if it would answer something else."""
    fields = dict(request.query_params)
    recruiter_id = recruiter_id_of(fields)
    session_id = await _session_of_token(request, server_state, running)
    if session_id is None or not server_state.session_limit.allows(session_id):
        return None
    if recruiter_id:
        participant_id = server_state.keyring.participant_id(recruiter_id)
        # The link may be that of another person on the same computer.
        if not running.admission.allows(fields, recruiter_id) or await running.session_of(participant_id) != session_id:
            return None
    return await _state_of(server_state, running, session_id, token=server_state.keyring.token_of(session_id))


def _earlier_part(running: RunningStudy, participant_id: str) -> SessionSummary | None:
    find = running.served.earlier_part
    return None if find is None else find(participant_id)


async def state(request: Request) -> Response:
    """Return the state of a session."""
    return _json(await _state_of(*await whose(request)))


async def events(request: Request) -> Response:
    """Store what a page sends, and answer when it is durable."""
    server_state, running, session_id = await whose(request)
    body = await body_of(request, server_state.settings.body_limit)
    sent = events_from_body(body, session_id, server_state.settings.batch_limit)

    async def store(live: Live) -> Response:
        if live.session.outcome is not None:
            whole = server_state.states.state_of(running.public, live)
            raise Refusal(
                410, "The session has ended.", more=RefusalReply(acknowledged_seq=len(live.page)), state=whole
            )
        n_steps = len(live.session.steps)
        await running.take(live, sent)
        # A page that stays on its step has what it saved; sending it back each second would grow without end.
        has_moved = len(live.session.steps) != n_steps
        return _json(server_state.states.reply_of(running.public, live, with_saved=has_moved))

    try:
        return await running.in_session(session_id, store)
    except LostEvents:
        running.note_lost(session_id)
        raise
    except ErasedSession as error:
        raise Refusal(410, str(error), state=server_state.states.erased_state(running.public)) from None


async def withdraw(request: Request) -> Response:
    """End a session at the participant's request, and erase it if they ask."""
    server_state, running, session_id = await whose(request)
    plain = await object_of(request, _SMALL, frozenset({"erase"}))
    does_erase = flag_from(plain, "erase")
    if running.is_erased(session_id):
        return _json(server_state.states.erased_state(running.public))
    async with running.opened(session_id) as live:
        if live.session.outcome is None or (live.session.outcome != "withdrew" and not does_erase):
            await running.end(live, "withdrew", "Withdrew at their own wish.")
        # Ended before it is erased, so that a failing erasure leaves a withdrawn session and not an active one.
        if not does_erase:
            return _json(server_state.states.state_of(running.public, live))
        await running.erase(session_id, live.participant_id)
    return _json(server_state.states.erased_state(running.public))


async def _let_in(request: Request, server_state: ServerState, running: RunningStudy, newcomer: Newcomer) -> Response:
    try:
        arrival = await running.arrive(newcomer)
    except TookPart:
        return _refused(running, "repeat")
    if arrival is None:
        return _json(
            written(StudyFull(is_paid=running.study.pay is not None, redirect=_way_out(running, newcomer.fields)))
        )
    return await _entered(request, server_state, running, arrival.session_id, status=201 if arrival.is_new else 200)


async def _entered(
    request: Request, server_state: ServerState, running: RunningStudy, session_id: str, *, status: int
) -> Response:
    token = server_state.keyring.token_of(session_id)
    whole = await _state_of(server_state, running, session_id, token=token)
    response = _json(whole, status)
    response.set_cookie(
        _cookie_name(running), token, max_age=_MONTH_S, path="/", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return response


async def _state_of(
    server_state: ServerState, running: RunningStudy, session_id: str, *, token: str | None = None
) -> bytes:
    try:
        async with running.opened(session_id) as live:
            return server_state.states.state_of(running.public, live, token=token)
    except ErasedSession:  # before this request, or while it waited
        return server_state.states.erased_state(running.public, token=token)


async def _took_part_elsewhere(server_state: ServerState, running: RunningStudy, participant_id: str) -> bool:
    for name in running.study.refuses_people_of:
        other = server_state.studies.get(name)
        if other is not None:
            session_id = await other.session_of(participant_id)
        else:
            session_id = await asyncio.to_thread(running.served.log.session_of, name, participant_id)
        if session_id is not None:
            return True
    before = running.served.took_part_before
    return before is not nobody and await asyncio.to_thread(before, participant_id)


async def whose(request: Request) -> tuple[ServerState, RunningStudy, str]:
    """Return the study and the session of a request's token, or refuse the request."""
    server_state = server_state_of(request)
    running = server_state.study(request)
    token = _token_in(request, _cookie_name(running))
    session_id = server_state.keyring.session_of(token) if token else None
    if session_id is None:
        raise not_yours()
    if not await running.knows(session_id):
        running.note_lost(session_id)
        raise lost_session()
    if not server_state.session_limit.allows(session_id):
        raise too_fast()
    return server_state, running, session_id


async def _session_of_token(request: Request, server_state: ServerState, running: RunningStudy) -> str | None:
    token = _token_in(request, _cookie_name(running))
    session_id = server_state.keyring.session_of(token) if token else None
    return session_id if session_id is not None and await running.knows(session_id) else None


def _token_in(request: Request, cookie_name: str) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else request.cookies.get(cookie_name, "")


def _refused(running: RunningStudy, why: Refused, fields: Mapping[str, str] | None = None) -> Response:
    """Say why somebody cannot take part; with their fields, also where they go so that the recruiter hears of it."""
    redirect = None if fields is None else _way_out(running, fields)
    return _json(written(StudyRefused(refused=why, is_paid=running.study.pay is not None, redirect=redirect)))


def _way_out(running: RunningStudy, fields: Mapping[str, str]) -> str | None:
    back = running.public.ways_back
    return back.address_without_session(fields) if back is not None else None


def _cookie_name(running: RunningStudy) -> str:
    return f"understudy_{running.name}"


def _json(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, "application/json")
