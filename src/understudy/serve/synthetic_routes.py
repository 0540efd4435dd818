"""Routes for simulated people: only holders of the admin token may send them, and they are always marked as simulated.

A driver posts `{"synthetic": true}` to `/api/s/{study_name}/start` with the header `X-Understudy-Admin-Token`, and
may name the simulated person (`participant_id`, beginning with `synthetic-`) and say who plays them (`cast`).
"""

import secrets
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from understudy.schema import Json, SessionStarted
from understudy.schema.wire import Done
from understudy.serve.desk.admin_login import is_token
from understudy.serve.refusals import Refusal, unacceptable
from understudy.serve.server_state import ServerState, server_state_of
from understudy.serve.wire.messages import flag_from, object_of, text_from
from understudy.serve.wire.written import written

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
