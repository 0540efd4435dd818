"""Login of researchers: a token or one-time link is exchanged for a pass, and too many wrong guesses lock an address."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.schema.wire import Done
from understudy.serve.pages import notice_page
from understudy.serve.refusals import Refusal
from understudy.serve.server_state import ServerState, address_of, server_state_of
from understudy.serve.tokens import is_same_text
from understudy.serve.wire import object_of, text_from
from understudy.serve.written import written

COOKIE = "understudy_admin"
CSRF_HEADER = "x-understudy-admin"
_PASS_MS = 12 * 3600 * 1000
_SMALL = 4096


def require_admin(request: Request) -> ServerState:
    """Return the server state if the request carries a pass; changes need a header that other sites cannot set."""
    server_state = server_state_of(request)
    if request.method not in ("GET", "HEAD") and CSRF_HEADER not in request.headers:
        raise Refusal(403, "The header X-Understudy-Admin is missing, so this request may come from another site.")
    if not is_admin(request, server_state):
        raise Refusal(401, "Sign in at /admin first.")
    return server_state


def is_admin(request: Request, server_state: ServerState) -> bool:
    """Tell whether a request carries a pass, or the token itself as a bearer."""
    if server_state.keyring.is_admin_pass(request.cookies.get(COOKIE, ""), server_state.now_ms()):
        return True
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        return False
    return is_token(server_state, request, token, server_state.admin_token)


async def login(request: Request) -> Response:
    """Set a pass if the token is right."""
    server_state = server_state_of(request)
    if CSRF_HEADER not in request.headers:
        raise Refusal(403, "The header X-Understudy-Admin is missing, so this request may come from another site.")
    token = text_from(await object_of(request, _SMALL, frozenset({"token"})), "token")
    if not is_token(server_state, request, token, server_state.admin_token):
        raise Refusal(401, "The token is not right; it is in the secret file or in UNDERSTUDY_ADMIN_TOKEN.")
    return with_pass(Response(written(Done()), media_type="application/json"), request, server_state)


async def logout(request: Request) -> Response:
    """Delete the pass."""
    require_admin(request)
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
        return with_pass(RedirectResponse("/admin", status_code=303), request, server_state)
    page = await server_state.web.response("admin.html", request, cache="no-cache")
    return page or notice_page(404, "There is no dashboard", "The front end is not built; run make web.")


def is_token(server_state: ServerState, request: Request, guess: str, wanted: str) -> bool:
    """Tell whether a guess is right, in constant time; too many wrong ones lock out an address."""
    address = address_of(request)
    if server_state.lock_out.is_closed(address):
        raise Refusal(429, "Too many wrong tokens; try again in a minute.")
    if not is_same_text(guess, wanted):
        server_state.lock_out.count_wrong(address)
        return False
    server_state.lock_out.forget(address)
    return True


def with_pass(response: Response, request: Request, server_state: ServerState) -> Response:
    """Return the response with a pass to the dashboard for half a day."""
    response.set_cookie(
        COOKIE, server_state.keyring.admin_pass(server_state.now_ms() + _PASS_MS), max_age=_PASS_MS // 1000, path="/",
        httponly=True, samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip
    response.headers["Cache-Control"] = "no-store"
    return response
