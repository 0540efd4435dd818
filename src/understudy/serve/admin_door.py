"""The researchers' door: a token or a one-time link in, a pass out, and a lock after too many guesses."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from understudy.serve.hall import Hall, address_of, hall_of
from understudy.serve.pages import kind_page
from understudy.serve.refusals import Refusal
from understudy.serve.tokens import is_same_text
from understudy.serve.wire import object_of, text_from

COOKIE = "understudy_admin"
CSRF_HEADER = "x-understudy-admin"
_PASS_MS = 12 * 3600 * 1000
_SMALL = 4096


def require_admin(request: Request) -> Hall:
    """Return the hall to somebody with a pass; other sites' pages cannot set the header a change needs."""
    hall = hall_of(request)
    if request.method not in ("GET", "HEAD") and CSRF_HEADER not in request.headers:
        raise Refusal(403, "The header X-Understudy-Admin is missing, so this request may come from another site.")
    if not is_admin(request, hall):
        raise Refusal(401, "Sign in at /admin first.")
    return hall


def is_admin(request: Request, hall: Hall) -> bool:
    """Tell whether a request carries a pass, or the token itself as a bearer."""
    if hall.keyring.is_admin_pass(request.cookies.get(COOKIE, ""), hall.now_ms()):
        return True
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        return False
    return is_token(hall, request, token, hall.admin_token)


async def login(request: Request) -> Response:
    """Give a pass for the right token."""
    hall = hall_of(request)
    if CSRF_HEADER not in request.headers:
        raise Refusal(403, "The header X-Understudy-Admin is missing, so this request may come from another site.")
    given = text_from(await object_of(request, _SMALL, frozenset({"token"})), "token")
    if not is_token(hall, request, given, hall.admin_token):
        raise Refusal(401, "The token is not right; it is in the secret file or in UNDERSTUDY_ADMIN_TOKEN.")
    return with_pass(Response('{"ok":true}', media_type="application/json"), request, hall)


async def logout(request: Request) -> Response:
    """Take the pass back."""
    require_admin(request)
    response = Response('{"ok":true}', media_type="application/json")
    response.delete_cookie(COOKIE, path="/")
    return response


async def dashboard(request: Request) -> Response:
    """Show the dashboard, or turn a one-time link into a pass first."""
    hall = hall_of(request)
    once = request.query_params.get("once")
    if once is not None:
        if hall.once is None or not is_token(hall, request, once, hall.once):
            return kind_page(403, "This link was used already", "Sign in at /admin with the admin token.")
        hall.once = None
        return with_pass(RedirectResponse("/admin", status_code=303), request, hall)
    page = await hall.web.response("admin.html", request, cache="no-cache")
    return page or kind_page(404, "There is no dashboard", "The front end is not built; run make web.")


def is_token(hall: Hall, request: Request, given: str, wanted: str) -> bool:
    """Tell whether a guess is right, in constant time; too many wrong ones close the door to an address."""
    address = address_of(request)
    if hall.lock_out.is_closed(address):
        raise Refusal(429, "Too many wrong tokens; the door opens again in a minute.")
    if not is_same_text(given, wanted):
        hall.lock_out.count_wrong(address)
        return False
    hall.lock_out.forget(address)
    return True


def with_pass(response: Response, request: Request, hall: Hall) -> Response:
    """Let whoever gets a response into the dashboard for half a day."""
    response.set_cookie(
        COOKIE, hall.keyring.admin_pass(hall.now_ms() + _PASS_MS), max_age=_PASS_MS // 1000, path="/",
        httponly=True, samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip
    response.headers["Cache-Control"] = "no-store"
    return response
