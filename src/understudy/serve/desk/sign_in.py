"""Sign-in of researchers, and the audit of what they did."""

import asyncio
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.record import session_hash
from understudy.schema import Json
from understudy.schema.log_entries import DeskAction, DeskDeed
from understudy.schema.wire import AuditEntry, AuditPage, Done, Permission, SignInState
from understudy.serve.access import is_same_text
from understudy.serve.desk.researchers import PASS_MS, PERMISSIONS, UNNAMED, Actor
from understudy.serve.server import ServerState, address_of, server_state_of
from understudy.serve.study import RunningStudy
from understudy.serve.wire import Refusal, notice_page, object_of, text_from, written

# Audit: enters what researchers do into the logs, and reads it back.


async def note(server_state: ServerState, actor: str, action: DeskDeed) -> None:
    """Enter something that concerns the whole server, into every log."""
    entry = DeskAction(at_ms=server_state.now_ms(), study_name="", actor=actor, action=action)
    for log in {running.served.log for running in server_state.studies.values()}:
        await asyncio.to_thread(log.enter_desk_action, entry)


async def note_in(running: RunningStudy, actor: str, action: DeskDeed, session_id: str | None = None) -> None:
    """Enter something that concerns one study, or one session of it."""
    marked = None if session_id is None else session_hash(session_id)
    entry = DeskAction(
        at_ms=running.now_ms(), study_name=running.study.name, actor=actor, action=action, session_hash=marked
    )
    await asyncio.to_thread(running.served.log.enter_desk_action, entry)


def audit_page(running: RunningStudy) -> AuditPage:
    """Return what researchers did last; called in a thread."""
    log, name = running.served.log, running.study.name
    actions = log.desk_actions(name)
    wanted = {action.session_hash for action in actions if action.session_hash is not None}
    sessions = {session_hash(summary.session_id): summary for summary in log.summaries(name)} if wanted else {}
    found = [(action, sessions.get(action.session_hash or "")) for action in actions]
    return AuditPage(
        entries=tuple(
            AuditEntry(
                at_ms=action.at_ms,
                actor=action.actor,
                action=action.action,
                session_id=summary.session_id if summary else None,
                arrival=summary.assignment.arrival if summary else None,
            )
            for action, summary in found
        )
    )


COOKIE = "understudy_admin"
CSRF_HEADER = "x-understudy-admin"
_SMALL = 4096
_TOO_MANY = "Too many wrong passwords from this address or for this name; try again in a minute."
_DEEDS: dict[Permission, str] = {
    "look": "look at studies",
    "label": "label sessions",
    "exclude": "exclude sessions",
    "recruit": "pause or resume recruitment",
    "export": "download the data",
    "audit": "read the log of what everybody did",
    "code": "code texts",
    "settle": "see agreement, settle disagreements or change the code book",
}


class AtDesk(NamedTuple):
    """A request of a researcher who may make it."""

    server_state: ServerState
    actor: Actor


async def require(request: Request, permission: Permission | None = "look") -> AtDesk:
    """Return who asks, if their role allows it; changes need a header that other sites cannot set.

    Everybody who is signed in may do what needs no permission.
    """
    server_state = server_state_of(request)
    if request.method not in ("GET", "HEAD"):
        _require_header(request)
    actor = await actor_of(request, server_state)
    if actor is None:
        raise Refusal(401, "Sign in at /admin first.")
    if permission is not None and not actor.may(permission):
        raise Refusal(403, f"Your role ({actor.role}) does not allow you to {_DEEDS[permission]}; ask an owner.")
    return AtDesk(server_state, actor)


async def actor_of(request: Request, server_state: ServerState) -> Actor | None:
    """Return who sends a request, by a pass or by the token as a bearer; None for anybody else."""
    passed = request.cookies.get(COOKIE, "")
    # In a thread, as everything at the desk: a database that is slow to answer must not keep participants waiting.
    actor = await asyncio.to_thread(server_state.sign_ins.actor_of, passed, server_state.now_ms()) if passed else None
    if actor is not None:
        return actor
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token or not is_token(server_state, request, token, server_state.admin_token):
        return None
    return Actor(UNNAMED, "owner")


async def sign_in_state(request: Request) -> Response:
    """Say who is signed in, and what the form has to ask for."""
    server_state = server_state_of(request)
    actor = await actor_of(request, server_state)
    state = SignInState(
        asks_for="password" if await _has_names(server_state) else "token",
        name=actor.name if actor else None,
        role=actor.role if actor else None,
        may=PERMISSIONS[actor.role] if actor else (),
    )
    return Response(written(state), headers={"Cache-Control": "no-store"}, media_type="application/json")


async def login(request: Request) -> Response:
    """Set a pass if the token, or the password of the name, is right."""
    server_state = server_state_of(request)
    _require_header(request)
    plain = await object_of(request, _SMALL, frozenset({"token", "name", "password"}))
    if await _has_names(server_state):
        name = await _by_password(request, server_state, plain)
    else:
        name = UNNAMED
        if not is_token(server_state, request, text_from(plain, "token"), server_state.admin_token):
            raise Refusal(401, "The token is not right; it is in the secret file or in UNDERSTUDY_ADMIN_TOKEN.")
    await note(server_state, name, "signed_in")
    return await with_pass(Response(written(Done()), media_type="application/json"), request, server_state, name)


async def logout(request: Request) -> Response:
    """Forget the pass, on the server first: a copy of the cookie opens nothing any more."""
    server_state, actor = await require(request, None)
    await asyncio.to_thread(server_state.sign_ins.leave, request.cookies.get(COOKIE, ""))
    await note(server_state, actor.name, "signed_out")
    response = Response(written(Done()), media_type="application/json")
    response.delete_cookie(COOKIE, path="/")
    return response


async def dashboard(request: Request) -> Response:
    """Show the dashboard, or turn a one-time link into a pass first."""
    server_state = server_state_of(request)
    once = request.query_params.get("once")
    if once is not None:
        if server_state.once is None or not is_token(server_state, request, once, server_state.once):
            return notice_page(403, "This link was used already", "Sign in at /admin with the admin token.")
        server_state.once = None
        await note(server_state, UNNAMED, "signed_in")
        return await with_pass(RedirectResponse("/admin", status_code=303), request, server_state)
    return await _page("admin.html", request, server_state)


async def annotation_page(request: Request) -> Response:
    """Show the page on which texts are coded."""
    return await _page("annotate.html", request, server_state_of(request))


async def _page(name: str, request: Request, server_state: ServerState) -> Response:
    page = await server_state.web.response(name, request, cache="no-cache")
    return page or notice_page(404, "There is no dashboard", "The front end is not built; run make web.")


def is_token(server_state: ServerState, request: Request, guess: str, wanted: str) -> bool:
    """Tell whether a guess is right, in constant time; too many wrong ones lock out an address."""
    address = address_of(request)
    if not server_state.token_lock_out.admits(address):
        raise Refusal(429, "Too many wrong tokens; try again in a minute.")
    is_right = is_same_text(guess, wanted)
    if is_right:
        server_state.token_lock_out.forget(address)
    return is_right


async def with_pass(response: Response, request: Request, server_state: ServerState, name: str = UNNAMED) -> Response:
    """Return the response with a pass to the dashboard for half a day."""
    made = await asyncio.to_thread(server_state.sign_ins.enter, name, server_state.now_ms())
    response.set_cookie(
        COOKIE, made, max_age=PASS_MS // 1000, path="/",
        httponly=True, samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip
    response.headers["Cache-Control"] = "no-store"
    return response


async def _has_names(server_state: ServerState) -> bool:
    return bool(await asyncio.to_thread(server_state.researchers.all))


async def _by_password(request: Request, server_state: ServerState, plain: Json) -> str:
    name, password = text_from(plain, "name").strip().lower(), text_from(plain, "password")
    if not name:
        raise Refusal(
            401, "Sign in with your name and password; the admin token opens nothing while people have names."
        )
    address, sign_ins = address_of(request), server_state.sign_ins
    if server_state.passwords.is_full and not server_state.password_lock_out.is_closed(address):
        raise Refusal(503, "Too many people are signing in at once; try again in a few seconds.")
    if not server_state.password_lock_out.admits(address):
        raise Refusal(429, _TOO_MANY)
    async with server_state.passwords.turn():
        # Counted a second time where all processes with these accounts see it.
        if not await asyncio.to_thread(sign_ins.admits, address, name, server_state.now_ms()):
            raise Refusal(429, _TOO_MANY)
        actor = await asyncio.to_thread(server_state.researchers.verified, name, password)
    if actor is None:
        is_known = await asyncio.to_thread(server_state.researchers.find, name) is not None
        await note(server_state, name if is_known else "unknown name", "sign_in_refused")
        raise Refusal(401, "Name or password is not right.")
    server_state.password_lock_out.forget(address)
    await asyncio.to_thread(sign_ins.forget_guesses, address, name)
    return actor.name


def _require_header(request: Request) -> None:
    if CSRF_HEADER not in request.headers:
        raise Refusal(403, "The header X-Understudy-Admin is missing, so this request may come from another site.")
