"""The first page: sent along with the player, so that people need not wait until the player has asked for it.

Newcomers get the page that everybody starts on, if there is one; people who come back get the state of their session.
"""

import gzip
import re
from functools import cached_property

from starlette.requests import Request
from starlette.responses import Response

from understudy.conduct import Script, Step, assign
from understudy.conduct.ledger import Ledger
from understudy.schema import Assignment, SessionStarted
from understudy.serve.sessions.live import Live, opening
from understudy.serve.sessions.states import States
from understudy.serve.wire.public import PublicStudy
from understudy.serve.wire.wire_names import WireNames

_PLACE = "<body>"
_REST = re.compile(r"\s*<link [^>]*\bdata-rest\b[^>]*>")


class PlayerPage:
    """The player of one study with its first page in it."""

    def __init__(self, shell: str, state: bytes) -> None:
        # The rest is fetched while people read, and must not compete with what draws the page.
        self._page = _with_block(_REST.sub("", shell), "first-page", state)

    @cached_property
    def _packed(self) -> bytes:
        return gzip.compress(self._page, compresslevel=9, mtime=0)

    def response(self, request: Request) -> Response:
        """Return the page, packed where the browser unpacks it."""
        headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self._page, headers=headers, media_type="text/html")
        return Response(self._packed, headers={**headers, "Content-Encoding": "gzip"}, media_type="text/html")


def resumed_page(shell: str, state: bytes) -> Response:
    """Return the player with the state of a session that continues; nobody else may get it from a cache."""
    return Response(_with_block(shell, "resumed", state), headers={"Cache-Control": "no-store"}, media_type="text/html")


def first_state(script: Script, public: PublicStudy, names: WireNames) -> bytes | None:
    """Write what every new session shows first: where people agree; None where that depends on the condition."""
    fresh = Ledger(script.study)
    drawn = [assign(fresh, 0, cell.name) for cell in script.study.cells]
    starts = [_opened(script, assignment, names) for assignment in drawn if assignment is not None]
    states = {States().first_of(public, live) if _asks_consent(live) else None for live in starts}
    return states.pop() if len(states) == 1 else None


def _opened(script: Script, assignment: Assignment, names: WireNames) -> Live:
    started = SessionStarted(
        session_id="first", seq=1, at_ms=0, study_name=script.study.name, study_digest=script.digest,
        participant_id="first", participant_kind="person", assignment=assignment,
    )  # fmt: skip
    return opening(script, started, names)


def _asks_consent(live: Live) -> bool:
    return isinstance(live.at_hand, Step) and live.at_hand.visit.block.purpose == "consent"


def _with_block(shell: str, name: str, state: bytes) -> bytes:
    # A bracket could end the element; as an escape it means the same.
    written = state.decode().replace("<", "\\u003c")
    block = f'{_PLACE}\n    <script type="application/json" id="{name}">{written}</script>'
    return shell.replace(_PLACE, block, 1).encode()
