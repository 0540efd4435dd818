"""HTTP calls to a platform: repeated only where a second call cannot do a second thing."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import httpx
from pydantic import JsonValue

from understudy.errors import NoAnswer, RecruiterError, RejectedOrder
from understudy.schema import Json

Repeats: TypeAlias = Literal["safe", "unsafe"]
"""safe: the call may be sent again whatever happened; unsafe: only where the platform certainly did nothing."""

TRIES = 5
_FIRST_PAUSE_S = 0.5
_BAD_REQUEST = 400
_TOO_MANY = 429
_NO_CONTENT = 204
_SERVER_FAULT = 500
_ADVICE = {
    401: ". The token may be mistyped or deleted; copy it from the settings at {platform} again.",
    403: ". The account of this token may not do this; ask who owns the workspace at {platform}.",
}


class PlatformCalls:
    """Sends requests, waits and tries again with care, and turns faults into sentences."""

    def __init__(self, client: httpx.Client, platform: str, pause: Callable[[float], None]) -> None:
        self._client = client
        self._platform = platform
        self._pause = pause

    def call(self, method: str, path: str, *, body: Json | None = None, repeats: Repeats = "safe") -> httpx.Response:
        """Return the answer to a request; raise NoAnswer if it is unknown whether the platform acted on it."""
        reason = ""
        for attempt in range(TRIES):
            if attempt:
                self._pause(_FIRST_PAUSE_S * 2 ** (attempt - 1))
            try:
                response = self._client.request(method, path, json=body)
            except httpx.ConnectError as error:
                # Nothing was sent, so that trying again is safe in any case.
                reason = f"cannot be reached ({error})"
                continue
            except httpx.HTTPError as error:
                reason = f"did not answer ({type(error).__name__})"
                if repeats == "unsafe":
                    break
                continue
            if response.status_code == _TOO_MANY:
                reason = "asks to wait, again and again"
                self._pause(_wait_s(response))
                continue
            if response.status_code >= _SERVER_FAULT:
                # It may have acted before it failed.
                reason = f"failed with status {response.status_code}"
                if repeats == "unsafe":
                    break
                continue
            if response.is_success:
                return response
            advice = _ADVICE.get(response.status_code, "").format(platform=self._platform)
            kind = RejectedOrder if response.status_code == _BAD_REQUEST else RecruiterError
            raise kind(f"{self._platform} rejected {method} {path}: {_told(response)}{advice}")
        if repeats == "unsafe" and reason.startswith(("did not", "failed")):
            raise NoAnswer(
                f"{self._platform} {reason} to {method} {path}; the request may still have been carried out."
            )
        raise RecruiterError(f"{self._platform} {reason}; check the connection and try again later.")

    def json(self, method: str, path: str, *, body: Json | None = None, repeats: Repeats = "safe") -> Json:
        """Return the object that a request is answered with."""
        found = plain_of(self.call(method, path, body=body, repeats=repeats))
        if not isinstance(found, dict):
            raise RecruiterError(f"{self._platform} answers {method} {path} with something other than an object.")
        return found


def plain_of(response: httpx.Response) -> JsonValue:
    """Return the JSON of an answer, None where there is none."""
    if response.status_code == _NO_CONTENT or not response.content:
        return None
    try:
        found: JsonValue = response.json()
    except ValueError:
        raise RecruiterError(f"{response.request.url} did not answer with JSON; check the address.") from None
    return found


def _wait_s(response: httpx.Response) -> float:
    after = response.headers.get("retry-after", "")
    return min(float(after), 60.0) if after.isdigit() else 0.0


def _told(response: httpx.Response) -> str:
    """Return what a platform says about a refusal, as text."""
    try:
        found = response.json()
    except ValueError:
        return f"status {response.status_code}"
    error = found.get("error", found) if isinstance(found, dict) else found
    detail = error.get("detail", error) if isinstance(error, dict) else error
    if isinstance(detail, dict):
        detail = "; ".join(f"{name}: {value}" for name, value in detail.items())
    elif isinstance(detail, list):
        detail = "; ".join(map(str, detail))
    return f"{detail} (status {response.status_code})"
