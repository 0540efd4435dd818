"""Wire names: what blocks and trials are called outside the server, so that no name tells the condition."""

import base64
import hashlib
import hmac
from collections.abc import Callable, Collection
from typing import TypeAlias

from pydantic import JsonValue

from understudy.schema import Interacted, Json, ResponseGiven, TrialShown

PageEvent: TypeAlias = TrialShown | Interacted | ResponseGiven
_N_LETTERS = 16
_NAMING_BLOCKS = frozenset({"reference_opened", "reference_closed"})
"""Actions whose payload names blocks."""


class WireNames:
    """The names of one session. Another session has other names for the same things, so that people cannot compare."""

    def __init__(self, key: bytes | None, session: str, blocks: Collection[str] = ()) -> None:
        self._key = None if key is None else hmac.new(key, f"names {session}".encode(), hashlib.sha256).digest()
        self._given: dict[str, str] = {}
        self._blocks = blocks
        self._block_of: dict[str, str] | None = None

    def of(self, name: str) -> str:
        """Return what a block or a trial is called outside."""
        if self._key is None:
            return name
        given = self._given.get(name)
        if given is None:
            digest = hmac.new(self._key, name.encode(), hashlib.sha256).digest()
            given = self._given[name] = base64.b32encode(digest).decode().lower()[:_N_LETTERS]
        return given

    def block_of(self, given: str) -> str:
        """Return the block that a page names, or an empty text for a name that was never given."""
        if self._key is None:
            return given
        if self._block_of is None:
            self._block_of = {self.of(block_id): block_id for block_id in self._blocks}
        return self._block_of.get(given, "")

    def read(self, event: PageEvent, trial_id: str, received_ms: int | None = None) -> PageEvent:
        """Return an event of a page with the names of the study and the time of receipt.

        `trial_id` is the only trial that it may be about. Both changes share one copy of the event.
        """
        changes: dict[str, object] = {} if received_ms is None else {"received_ms": received_ms}
        if self._key is not None:
            # A real name is not accepted: whether it is could be tried out, and would tell the condition.
            changes["trial_id"] = trial_id if event.trial_id == self.of(trial_id) else ""
            if event.type == "interacted" and event.action in _NAMING_BLOCKS:
                changes["payload"] = _renamed(event.payload, self.block_of)
        return event.model_copy(update=changes) if changes else event

    def written_payload(self, event: Interacted) -> Json:
        """Return the payload of a stored event as its page knows it."""
        return _renamed(event.payload, self.of) if event.action in _NAMING_BLOCKS else event.payload


PLAIN = WireNames(None, "")
"""The names of the study itself, for simulated people and researchers."""


def _renamed(payload: Json, rename: Callable[[str], str]) -> Json:
    blocks = payload.get("blocks")
    if not isinstance(blocks, list):
        return payload
    named: list[JsonValue] = [rename(name) if isinstance(name, str) else name for name in blocks]
    return {**payload, "blocks": named}
