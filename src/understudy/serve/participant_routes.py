"""Routes for participants, for recordings, and for simulated people."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from understudy.conduct import Ended
from understudy.conduct.assignment import standing_of
from understudy.record import SessionSummary
from understudy.recruiters import recruiter_id_of
from understudy.schema import Json, SessionStarted, Study, blocks_in
from understudy.schema.wire import Done, RefusalReply, StudyBegun, StudyFull, StudyRefused
from understudy.serve.access import SIGNATURE, Pass, new_participant_id
from understudy.serve.arrivals import Newcomer, TookPart
from understudy.serve.desk.sign_in import is_token
from understudy.serve.live_session import Live, audio_chunk_from
from understudy.serve.own_data import Stored, own_archive, pay_told
from understudy.serve.server import ServerState, address_of, server_state_of
from understudy.serve.sessions import ErasedSession
from understudy.serve.settings import nobody
from understudy.serve.study import RunningStudy
from understudy.serve.wire import (
    LostEvents,
    Refusal,
    body_of,
    events_from_body,
    fields_from,
    flag_from,
    lost_session,
    not_yours,
    object_of,
    text_from,
    too_fast,
    unacceptable,
    written,
)

# Routes for simulated people: only holders of the admin token may send them, and they are always marked as simulated.
#
# A driver posts `{"synthetic": true}` to `/api/s/{study_name}/start` with the header `X-Understudy-Admin-Token`, and
# may name the simulated person (`participant_id`, beginning with `synthetic-`) and say who plays them (`cast`).

TOKEN_HEADER = "X-Understudy-Admin-Token"  # noqa: S105, the name of a header
FIELDS = frozenset({"synthetic", "participant_id", "cast"})
PREFIX = "synthetic-"
"""Prefix of the name of every simulated person; pseudonyms of real people have another."""
_SMALL = 4096
_LEFT = "Left without a word; simulated people are not waited for."


class SyntheticParticipant(NamedTuple):
    """A simulated person who arrives."""

    participant_id: str
    cast: str | None


def synthetic_participant_from(request: Request, server_state: ServerState, plain: Json) -> SyntheticParticipant | None:
    """Read which simulated person arrives; None for real people, and a refusal without the admin token."""
    name, cast = text_from(plain, "participant_id"), text_from(plain, "cast")
    if not flag_from(plain, "synthetic"):
        if name or cast:
            raise unacceptable(
                "'participant_id' and 'cast' are for simulated people; send 'synthetic': true with them."
            )
        return None
    _require_token(request, server_state)
    if name and not name.startswith(PREFIX):
        raise unacceptable(f"The name of a simulated person begins with {PREFIX!r}; {name!r} does not.")
    return SyntheticParticipant(name or f"{PREFIX}{secrets.token_hex(12)}", cast or None)


async def leave(request: Request) -> Response:
    """End the session of a simulated person who left, at once instead of after the wait for real people."""
    server_state = server_state_of(request)
    running = server_state.study(request)
    _require_token(request, server_state)
    session_id = text_from(await object_of(request, _SMALL, frozenset({"session_id"})), "session_id")
    if not await running.knows(session_id):
        raise Refusal(404, "There is no such session in this study.")
    async with running.opened(session_id) as live:
        started = live.session.events[0]
        if not isinstance(started, SessionStarted) or started.participant_kind != "synthetic":
            raise Refusal(403, "This is a real person's session; only they themselves, or silence, can end it.")
        if live.session.outcome is None:
            await running.end(live, "abandoned", _LEFT)
    return Response(written(Done()), headers={"Cache-Control": "no-store"}, media_type="application/json")


def _require_token(request: Request, server_state: ServerState) -> None:
    token = request.headers.get(TOKEN_HEADER, "")
    if not token or not is_token(server_state, request, token, server_state.admin_token):
        raise Refusal(403, f"Simulated people come with the admin token in the header {TOKEN_HEADER} only.")


Refused: TypeAlias = Literal["repeat", "link", "paused", "erased", "uninvited", "early", "late", "known"]
_MONTH_S = 30 * 24 * 3600
_PARTICIPANT_API_SMALL = 32 * 1024
_SHORTEST_KNOCK = 16
_START_FIELDS = frozenset({"recruiter", "language", "preview", "go_on", "knock"}) | FIELDS


class Holder(NamedTuple):
    """The study and the session of a request's token, and how much the token opens."""

    server_state: ServerState
    running: RunningStudy
    session_id: str
    since: int | None
    """None for the whole session; the number of the first event for people who went on with an id alone."""
    token: str

    async def require_open(self, live: Live) -> None:
        """Refuse a guest once a session has ended, unless they finished it: its end belongs to somebody else."""
        is_over = self.since is not None and live.session.outcome is not None
        if is_over and not await self.running.departed.has_finished(self.token):
            raise not_yours()


async def start(request: Request) -> Response:
    """Start a session, or return to one."""
    server_state = server_state_of(request)
    running = server_state.study(request)
    if not server_state.arrival_limit.allows(address_of(request)):
        raise too_fast()
    plain = await object_of(request, _PARTICIPANT_API_SMALL, _START_FIELDS)
    fields = fields_from(plain.get("recruiter"))
    text_from(plain, "language")
    simulated = synthetic_participant_from(request, server_state, plain)
    if simulated is not None:
        newcomer = Newcomer(simulated.participant_id, kind="synthetic", cast=simulated.cast)
        return await _let_in(request, server_state, running, newcomer)
    if flag_from(plain, "preview"):
        return _json(server_state.states.preview_of(running.public, running.preview()))
    recruiter_id = recruiter_id_of(fields)
    goes_on, knock = flag_from(plain, "go_on"), text_from(plain, "knock")
    held = await _pass_in(request, server_state, running)
    if not running.admission.allows(fields, recruiter_id) and (recruiter_id or held is None):
        return _refused(running, "link")
    is_proven = running.admission.proves(fields, recruiter_id)
    fields.pop(SIGNATURE, None)
    participant_id = server_state.keyring.participant_id(recruiter_id) if recruiter_id else new_participant_id()
    session_id = await running.session_of(participant_id) if recruiter_id else held and held.session_id
    own_id = None
    if recruiter_id and len(knock) >= _SHORTEST_KNOCK:
        own_id = server_state.keyring.session_for(running.study.name, participant_id, knock)
    if session_id is not None:
        if is_proven or session_id == own_id:
            held = Pass(session_id)
        return await _came_back(request, server_state, running, session_id, held, goes_on=goes_on)
    if recruiter_id and await _took_part_elsewhere(server_state, running, participant_id):
        return _refused(running, "repeat")
    if recruiter_id and await running.departed.holds(participant_id):
        is_theirs = is_proven or (held is not None and held.since is None and running.is_erased(held.session_id))
        return _refused(running, "erased" if is_theirs else "known")
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
    own_id = None if own_id is None or running.is_erased(own_id) else own_id
    newcomer = Newcomer(participant_id, fields, condition=condition, session_id=own_id)
    return await _let_in(request, server_state, running, newcomer, goes_on=goes_on)


async def may_be_new(request: Request, server_state: ServerState, running: RunningStudy) -> bool:
    """Tell whether a link may start a session, as far as that tells nothing about the person whose id it has."""
    fields = dict(request.query_params)
    if running.study.follows is not None or not running.admission.allows(fields, recruiter_id_of(fields)):
        return False
    if await _pass_in(request, server_state, running) is not None:
        return False
    return running.ledger.has_room() and not await running.recruitment.is_paused()


async def resumed_state(request: Request, server_state: ServerState, running: RunningStudy) -> bytes | None:
    """Return what `start` answers people who come back with their cookie; None if it would answer something else."""
    fields = dict(request.query_params)
    recruiter_id = recruiter_id_of(fields)
    held = await _pass_in(request, server_state, running)
    # Guests ask the server: what they may see depends on who has finished.
    if held is None or held.since is not None or not server_state.session_limit.allows(held.session_id):
        return None
    session_id = held.session_id
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
    holder = await whose(request)
    try:
        async with holder.running.opened(holder.session_id) as live:
            await holder.require_open(live)
            return _json(holder.server_state.states.state_of(holder.running.public, live, since=holder.since))
    except ErasedSession:
        if holder.since is not None:
            raise not_yours() from None
        return _json(holder.server_state.states.erased_state(holder.running.public))


async def events(request: Request) -> Response:
    """Store what a page sends, and answer when it is durable."""
    holder = await whose(request)
    server_state, running, session_id = holder.server_state, holder.running, holder.session_id
    body = await body_of(request, server_state.settings.body_limit)
    sent = events_from_body(body, session_id, server_state.settings.batch_limit)

    async def store(live: Live) -> Response:
        if live.session.outcome is not None:
            await holder.require_open(live)
            whole = server_state.states.state_of(running.public, live)
            raise Refusal(
                410, "The session has ended.", more=RefusalReply(acknowledged_seq=len(live.page)), state=whole
            )
        n_steps = len(live.session.steps)
        await running.take(live, sent)
        if holder.since is not None and live.session.outcome is not None:
            await running.departed.note_finisher(holder.token)
        # A page that stays on its step has what it saved; sending it back each second would grow without end.
        has_moved = len(live.session.steps) != n_steps
        return _json(server_state.states.reply_of(running.public, live, with_saved=has_moved, since=holder.since))

    try:
        return await running.in_session(session_id, store)
    except LostEvents:
        running.note_lost(session_id)
        raise
    except ErasedSession as error:
        if holder.since is not None:
            raise not_yours() from None
        raise Refusal(410, str(error), state=server_state.states.erased_state(running.public)) from None


async def withdraw(request: Request) -> Response:
    """End a session at the participant's request, and erase it if they ask."""
    server_state, running, session_id, since, _ = await whose(request)
    plain = await object_of(request, _PARTICIPANT_API_SMALL, frozenset({"erase"}))
    does_erase = flag_from(plain, "erase")
    if since is not None:
        raise Refusal(
            403, "An id alone can neither end nor erase a session. Use the browser in which it began, a personal link, or write "
            "to the contact of the study.",
        )  # fmt: skip
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


async def copy(request: Request) -> Response:
    """Return everything that is stored about the person, as a ZIP file with a page to read."""
    holder = await whose(request)
    if holder.since is not None:
        raise Refusal(403, "An id alone does not show what somebody answered. Use the browser in which you began.")
    async with holder.running.opened(holder.session_id) as live:
        content = await asyncio.to_thread(copy_of, holder.running, live)
    return copy_response(content)


def copy_of(running: RunningStudy, live: Live, *, for_researchers: bool = False) -> bytes:
    """Return what a person may have of their session; call it with the session locked, in a thread."""
    study, back = running.study, running.public.ways_back
    outcome, session_id = live.session.outcome, live.session.session_id
    code = back.code(session_id, outcome) if back is not None and outcome is not None else None
    events = running.served.log.session(session_id)
    fields = running.fields_of(live.participant_id)
    pay = pay_told(study, events)
    stored = Stored(running.script, events, live.names, fields, running.recordings.read, pay, code)
    return own_archive(stored, for_researchers=for_researchers)


def copy_response(content: bytes) -> Response:
    """Return a copy as a file that nobody caches."""
    headers = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="my-data.zip"'}
    return Response(content, headers=headers, media_type="application/zip")


async def _came_back(
    request: Request,
    server_state: ServerState,
    running: RunningStudy,
    session_id: str,
    held: Pass | None,
    *,
    goes_on: bool,
) -> Response:
    """Let somebody into the session that their id has, as far as they prove that it is theirs.

    The browser that began and people with a signed link get all of it. With an id alone, people may go on where the study
    allows it, and hear first from when and where; of a finished session they learn only that there is one.
    """
    keyring = server_state.keyring
    if held == Pass(session_id):
        return await _entered(request, server_state, running, session_id, status=200)
    try:
        async with running.opened(session_id) as live:
            now = live.at_hand
            since = held.since if held is not None and held.session_id == session_id else None
            if since is not None:
                token = keyring.guest_token(session_id, since)
                is_over = live.session.outcome is not None and not await running.departed.has_finished(token)
            else:
                is_over = isinstance(now, Ended) or not running.study.access.resume_by_id
                token = keyring.guest_token(session_id, live.next_seq)
            if is_over:
                return _refused(running, "known")
            if since is None and not goes_on and not isinstance(now, Ended):
                began_ms = live.session.events[0].at_ms
                return _json(
                    written(StudyBegun(began_ms=began_ms, page=now.number + 1, progress=round(now.progress, 4)))
                )
            whole = server_state.states.state_of(
                running.public, live, token=token, since=live.next_seq if since is None else since
            )
    except ErasedSession:
        return _refused(running, "known")
    return _with_cookie(request, running, _json(whole), token)


async def _let_in(
    request: Request, server_state: ServerState, running: RunningStudy, newcomer: Newcomer, *, goes_on: bool = False
) -> Response:
    try:
        arrival = await running.arrive(newcomer)
    except TookPart:
        return _refused(running, "repeat")
    if arrival is None:
        return _json(
            written(StudyFull(is_paid=running.study.pay is not None, redirect=_way_out(running, newcomer.fields)))
        )
    if not arrival.is_new and newcomer.kind == "person":
        # Two requests with one id at the same moment: only one of them began.
        held = Pass(arrival.session_id) if arrival.session_id == newcomer.session_id else None
        return await _came_back(request, server_state, running, arrival.session_id, held, goes_on=goes_on)
    return await _entered(request, server_state, running, arrival.session_id, status=201 if arrival.is_new else 200)


async def _entered(
    request: Request, server_state: ServerState, running: RunningStudy, session_id: str, *, status: int
) -> Response:
    token = server_state.keyring.token_of(session_id)
    whole = await _state_of(server_state, running, session_id, token=token)
    return _with_cookie(request, running, _json(whole, status), token)


def _with_cookie(request: Request, running: RunningStudy, response: Response, token: str) -> Response:
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


async def whose(request: Request) -> Holder:
    """Return the study and the session of a request's token, or refuse the request."""
    server_state = server_state_of(request)
    running = server_state.study(request)
    token = _token_in(request, _cookie_name(running))
    held = server_state.keyring.pass_of(token) if token else None
    if held is None:
        raise not_yours()
    session_id = held.session_id
    if not await running.knows(session_id):
        running.note_lost(session_id)
        raise lost_session()
    if not server_state.session_limit.allows(session_id):
        raise too_fast()
    return Holder(server_state, running, session_id, held.since, token)


async def _pass_in(request: Request, server_state: ServerState, running: RunningStudy) -> Pass | None:
    token = _token_in(request, _cookie_name(running))
    held = server_state.keyring.pass_of(token) if token else None
    return held if held is not None and await running.knows(held.session_id) else None


def _token_in(request: Request, cookie_name: str) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" else request.cookies.get(cookie_name, "")


def _refused(running: RunningStudy, why: Refused, fields: Mapping[str, str] | None = None) -> Response:
    """Say why somebody cannot take part; with their fields, also where they go so that the recruiter hears of it."""
    redirect = None if fields is None else _way_out(running, fields)
    contact = contact_of(running.study) if why == "known" else ""
    is_paid = running.study.pay is not None
    return _json(written(StudyRefused(refused=why, is_paid=is_paid, redirect=redirect, contact=contact)))


def contact_of(study: Study) -> str:
    """Return whom people may write to, as the consent page or the debrief says; empty where neither does."""
    said = (block.task.params.get("contact") for block in blocks_in(study.flow))
    return next((contact for contact in said if isinstance(contact, str) and contact), "")


def _way_out(running: RunningStudy, fields: Mapping[str, str]) -> str | None:
    back = running.public.ways_back
    return back.address_without_session(fields) if back is not None else None


def _cookie_name(running: RunningStudy) -> str:
    return f"understudy_{running.name}"


def _json(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, "application/json")


# Route for recordings: chunks are stored; see annotation_api.py for the only people who may hear them.

_WITHDRAWN = frozenset({"withdrew", "declined"})


async def recordings(request: Request) -> Response:
    """Store a chunk, and answer when it is on the disk and named in the log."""
    holder = await whose(request)
    server_state, running, session_id = holder.server_state, holder.running, holder.session_id
    audio = await audio_chunk_from(request, server_state.settings.chunk_limit)
    if running.is_erased(session_id):
        raise Refusal(410, "The session was erased, so its recording ends here.")
    async with running.opened(session_id) as live:
        await holder.require_open(live)
        # The last chunk may arrive after a session is completed; nothing more is stored of people who withdrew.
        if live.session.outcome in _WITHDRAWN:
            raise Refusal(410, "The session has ended, so its recording ends here.")
        audio = audio._replace(block_id=live.names.block_of(audio.block_id))
        await running.record(live, audio, server_state.settings.recording_limit)
    return JSONResponse({"stored_chunk": audio.chunk}, headers={"Cache-Control": "no-store"})
