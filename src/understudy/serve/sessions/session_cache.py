"""Session cache: a bounded number of sessions in memory, each with a lock so that two tabs take turns."""

import asyncio
from collections import OrderedDict

from understudy.serve.sessions.live import Live


class CachedSession:
    """A session in memory; take the lock before reading or changing it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.live: Live | None = None


class SessionCache:
    """The most recently used sessions; dropped ones are rebuilt from the log."""

    def __init__(self, n_most: int) -> None:
        self._n_most = n_most
        self._slots: OrderedDict[str, CachedSession] = OrderedDict()

    def __len__(self) -> int:
        """Return how many sessions are held."""
        return len(self._slots)

    def slot(self, session_id: str) -> CachedSession:
        """Return the slot of a session; take its lock before the next await."""
        slot = self._slots.get(session_id)
        if slot is None:
            slot = self._slots[session_id] = CachedSession()
            self._drop_oldest()
        else:
            self._slots.move_to_end(session_id)
        return slot

    def live(self, session_id: str) -> Live | None:
        """Return a session if it is in memory."""
        slot = self._slots.get(session_id)
        return None if slot is None else slot.live

    def forget(self, session_id: str) -> None:
        """Drop the state of a session; the lock stays while a request waits for it."""
        slot = self._slots.get(session_id)
        if slot is not None:
            slot.live = None

    def _drop_oldest(self) -> None:
        if len(self._slots) <= self._n_most:
            return
        # A slot in use keeps its lock, or a second one for the same session would let two requests in.
        for name in [session_id for session_id, slot in self._slots.items() if not slot.lock.locked()][
            : len(self._slots) // 10
        ]:
            if len(self._slots) > self._n_most and name != next(reversed(self._slots)):
                del self._slots[name]
