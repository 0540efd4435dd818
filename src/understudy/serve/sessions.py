"""Sessions: the store over log and memory, with a lock for each so that two tabs take turns."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from understudy.conduct import Script
from understudy.errors import LogError
from understudy.record import Batch, GroupWriter, Log, StaleSession, encode_events, tombstone_ids
from understudy.schema import Event
from understudy.serve.arrivals import SharedStudy
from understudy.serve.live_session import Live
from understudy.serve.wire import Refusal, WireNames


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


# Session store: sessions in memory as far as they are in use, and in the log always, whichever process writes them.

T = TypeVar("T")
_STALE_TRIES = 8
"""How often a request begins again because another process has changed its session; each time, that process went on."""


class ErasedSession(Refusal):
    """A request came for a session that was erased, or waited for it while it was."""

    def __init__(self) -> None:
        super().__init__(410, "The session was erased.")


class SessionStore:
    """Reads and writes the sessions of one study."""

    def __init__(
        self, log: Log, writer: GroupWriter, script: Script, *, names: Callable[[Event], WireNames], n_cached: int,
        erased: set[str], shared: SharedStudy | None, on_derived: Callable[[str, Sequence[Event]], None],
    ) -> None:  # fmt: skip
        self._log = log
        self._writer = writer
        self._script = script
        self._names = names
        self._cache = SessionCache(n_cached)
        self._erased = erased
        self._shared = shared
        self._on_derived = on_derived
        self.slot = self._cache.slot
        self.forget = self._cache.forget
        self.n_events = 0

    def is_erased(self, session_id: str) -> bool:
        """Tell whether a session was erased at its participant's request."""
        return bool(self._erased) and not self._erased.isdisjoint(tombstone_ids(session_id))

    @asynccontextmanager
    async def opened(self, session_id: str) -> AsyncIterator[Live]:
        """Lock a session, so that no other request reads or changes it meanwhile."""
        slot = self.slot(session_id)
        async with slot.lock:
            yield await self._live(slot, session_id)

    async def in_session(self, session_id: str, work: Callable[[Live], Awaitable[T]]) -> T:
        """Lock a session and work on it; where another process has changed it, begin again with what that one stored.

        Most people stay with one process, so the log is read only when the session in memory does not fit.
        """
        slot = self.slot(session_id)
        async with slot.lock:
            live = await self._live(slot, session_id, is_trusted=True)
            for _ in range(_STALE_TRIES):
                n_known = live.known.total()
                try:
                    return await work(live)
                except StaleSession:
                    live = await self._live(slot, session_id)
                except Refusal:
                    if self._shared is None:
                        raise
                    live = await self._live(slot, session_id)
                    if live.known.total() == n_known:
                        raise
            raise StaleSession(session_id)

    async def read_on(self, live: Live) -> None:
        """Fold in what other processes stored of a session."""
        if self._shared is not None:
            live.follow(await asyncio.to_thread(self._log.session_since, live.session.session_id, live.known))

    async def commit(self, events: Sequence[Event]) -> None:
        """Store events of one session; the log rejects them if another process has stored more of it meanwhile."""
        live = self._cache.live(events[0].session_id)
        n_known = None if live is None or self._shared is None else live.known.total()
        lines = encode_events(events)
        await self._writer.store(Batch(lines, n_known))
        if live is not None:
            live.note_stored(lines)
        self.n_events += len(events)

    async def _live(self, slot: CachedSession, session_id: str, *, is_trusted: bool = False) -> Live:
        if self.is_erased(session_id):
            raise ErasedSession
        try:
            if slot.live is None:
                slot.live = await self._loaded(session_id)
            elif not is_trusted:
                await self.read_on(slot.live)
        except LogError:
            if self._shared is None:
                raise
            # Another process may have erased it.
            await self._shared.catch_up()
            if self.is_erased(session_id):
                raise ErasedSession from None
            raise
        return slot.live

    async def _loaded(self, session_id: str) -> Live:
        events = await asyncio.to_thread(self._log.session, session_id)
        live, missing = Live.from_events(self._script, events, self._names(events[0]))
        if missing:
            await self.commit(missing)
            live.note_known(missing)
            self._on_derived(session_id, missing)
        return live
