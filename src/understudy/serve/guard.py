"""Guard: what surrounds every request: headers, faults, metrics and logs."""

import json
import logging
import sys
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from understudy.errors import LogError, UnderstudyError
from understudy.schema.wire import RefusalReply
from understudy.serve.access import RateLimit
from understudy.serve.wire import Refusal, not_found, notice_page, written_around

# Metrics: counts and timings in the text format of Prometheus, without personal data.

_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """Counts requests by route and status, and how long they took."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(_BOUNDS_S) + 1))

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds
        self._buckets[route][bisect_left(_BOUNDS_S, seconds)] += 1

    def totals(self) -> tuple[int, int]:
        """Return how many requests there were, and how many of them failed by a fault of the server."""
        return self._requests.total(), sum(n for (_, status), n in self._requests.items() if status >= 500)

    def text(self, gauges: Iterable[tuple[str, str, float]]) -> str:
        """Write everything; gauges are (name, study, value)."""
        return "\n".join([*self._request_lines(), *_gauge_lines(gauges), ""])

    def _request_lines(self) -> Iterator[str]:
        yield "# TYPE understudy_requests_total counter"
        for (route, status), n in sorted(self._requests.items()):
            yield f'understudy_requests_total{{route="{route}",status="{status}"}} {n}'
        yield "# TYPE understudy_request_seconds histogram"
        for route, counts in sorted(self._buckets.items()):
            total = 0
            for bound, n in zip((*map(str, _BOUNDS_S), "+Inf"), counts, strict=True):
                total += n
                yield f'understudy_request_seconds_bucket{{route="{route}",le="{bound}"}} {total}'
            yield f'understudy_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'understudy_request_seconds_count{{route="{route}"}} {total}'


def _gauge_lines(gauges: Iterable[tuple[str, str, float]]) -> Iterator[str]:
    named: defaultdict[str, list[str]] = defaultdict(list)
    for name, study, value in gauges:
        named[name].append(f'understudy_{name}{{study="{study}"}} {value:g}')
    for name, lines in named.items():
        yield f"# TYPE understudy_{name} gauge"
        yield from lines


logger = logging.getLogger("understudy.serve")


_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors "
)
_ADMIN_POLICY = f"{_POLICY}'none'".encode()


def security_headers(recruiters: tuple[str, ...]) -> list[tuple[bytes, bytes]]:
    """Return the headers of every response; recruiters may show the player in a frame."""
    ancestors = " ".join(("'self'", *recruiters))
    return [
        (b"content-security-policy", f"{_POLICY}{ancestors}".encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), geolocation=(), payment=(), usb=(), microphone=(self)"),
    ]


def _more_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers that depend on where a request goes and how it came."""
    more: list[tuple[bytes, bytes]] = []
    if str(scope["path"]).startswith(("/admin", "/api/admin", "/demo")):
        # A page of researchers in a frame could be clicked by people who see something else.
        more += [(b"content-security-policy", _ADMIN_POLICY), (b"x-frame-options", b"DENY")]
    if scope.get("scheme") == "https":
        more.append((b"strict-transport-security", b"max-age=31536000"))
    return more


class Guard:
    """Middleware that no request goes around."""

    def __init__(self, app: ASGIApp, *, headers: list[tuple[bytes, bytes]], metrics: Metrics) -> None:
        self._app = app
        self._headers = headers
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = list(message.get("headers", ()))
                held = {name for name, _ in own}
                # What a response brings itself comes first, then what its address asks for, then the rest.
                for name, value in (*_more_headers(scope), *self._headers):
                    if name not in held:
                        held.add(name)
                        own.append((name, value))
                message["headers"] = own
            await send(message)

        try:
            _refuse_two_lengths(scope)
            await self._app(scope, receive, send_on)
        except Exception as error:
            if status:
                raise
            await response_for(error, scope)(scope, receive, send_on)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("endpoint"), "__name__", "none")
        self._metrics.count(route, status, seconds)
        level = logging.WARNING if status >= 500 else logging.INFO if status >= 400 else logging.DEBUG
        if logger.isEnabledFor(level):
            logger.log(level, "request", extra={"fields": {"route": route, "status": status, "ms": seconds * 1000}})


def _refuse_two_lengths(scope: Scope) -> None:
    """Refuse a request that says its length twice: a proxy may believe the other one, and hand on part of it as another request."""
    names = {name for name, _ in scope["headers"]}
    if b"transfer-encoding" in names and b"content-length" in names:
        raise Refusal(400, "A request has either Content-Length or Transfer-Encoding, not both.")


def response_for(error: Exception, scope: MutableMapping[str, Any]) -> Response:
    """Turn what went wrong into words that tell nothing about the machine."""
    is_api = str(scope.get("path", "")).startswith("/api/")
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, Refusal):
        if error.status == 429:
            headers["Retry-After"] = "1"
        if error.status == 400:
            # What follows on this connection may be the rest of a request that was not understood.
            headers["Connection"] = "close"
        if is_api:
            return Response(error.body, error.status, headers, "application/json")
        return notice_page(error.status, "This did not work", str(error))
    if isinstance(error, HTTPException) and error.status_code < 500:
        if not is_api:
            return not_found()
        return _said(error.status_code, "There is nothing here; check the address.", headers)
    status, sentence = 500, "Something went wrong on the server. What was acknowledged is safe; please try again."
    fields = {"kind": type(error).__name__}
    if isinstance(error, UnderstudyError) and str(error).startswith("The event log"):
        fields["said"] = str(error)  # a complaint of the database; refusals would name a session
    if isinstance(error, LogError):
        status, sentence = 503, "Answers cannot be stored just now. What was acknowledged is safe; please try again."
        headers["Retry-After"] = "2"
    logger.error("failed", extra={"fields": fields})
    return _said(status, sentence, headers) if is_api else notice_page(status, "Please try again", sentence)


def _said(status: int, sentence: str, headers: dict[str, str]) -> Response:
    return Response(
        written_around(RefusalReply(error=sentence), {}, leaves_out_none=True), status, headers, "application/json"
    )


# Logs: one JSON object per line, with routes and counts but no personal data.


class JsonLines(logging.Formatter):
    """Writes a record as JSON; arguments that could hold an address or a name are left out."""

    def format(self, record: logging.LogRecord) -> str:
        """Write one line."""
        line: dict[str, object] = {
            "at_ms": int(record.created * 1000),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields = getattr(record, "fields", None)
        if isinstance(fields, dict):
            line |= {name: round(value, 2) if isinstance(value, float) else value for name, value in fields.items()}
        # Only the kind of an exception: its message may contain a participant's answer.
        if record.exc_info and record.exc_info[0]:
            line["kind"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


class LineLimit(logging.Filter):
    """Lets so many lines a second through, and says with the next line how many it held back."""

    def __init__(self, rate: float = 20.0, burst: float = 200.0, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._limit = RateLimit(rate, burst, seconds)
        self._n_dropped = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line may be written."""
        # A flood of refused requests must not fill the disk with lines about it.
        if not self._limit.allows(""):
            self._n_dropped += 1
            return False
        if self._n_dropped:
            record.fields = {**(getattr(record, "fields", None) or {}), "n_dropped": self._n_dropped}
            self._n_dropped = 0
        return True


def log_as_json(level: str) -> None:
    """Send the server's log to standard error as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(LineLimit())
    for name in ("understudy.serve", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper())
