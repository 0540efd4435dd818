"""The route by which `understudy doctor` sees what a proxy makes of a request."""

import os
import time

from starlette.requests import Request
from starlette.responses import Response

from understudy.schema.connection import ConnectionSeen
from understudy.serve.refusals import too_fast
from understudy.serve.server_state import address_of, server_state_of
from understudy.serve.wire.messages import bytes_of

COOKIE = "understudy_check"
_LARGEST = 1024 * 1024
"""As large as a chunk of a voice recording."""


async def connection(request: Request) -> Response:
    """Tell a client how its request arrived, and set a cookie as participants and researchers get it."""
    server_state = server_state_of(request)
    if not server_state.arrival_limit.allows(address_of(request)):
        raise too_fast()
    body = await bytes_of(request, _LARGEST, "A request of this size is not needed to examine a connection.")
    seen = ConnectionSeen(
        scheme=request.url.scheme,
        address=address_of(request),
        is_forwarded="x-forwarded-for" in request.headers,
        at_ms=server_state.now_ms(),
        time_zone=os.environ.get("TZ", "").removeprefix(":"),
        utc_offset_min=(time.localtime().tm_gmtoff or 0) // 60,
        has_token="authorization" in request.headers,
        n_bytes=len(body),
    )
    response = Response(seen.model_dump_json(), headers={"Cache-Control": "no-store"}, media_type="application/json")
    response.set_cookie(
        COOKIE, "1", max_age=60, path="/api/connection", httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return response
