"""A running study: people arrive, pages send events, and every event is durable before it is acknowledged."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakValueDictionary

from understudy.conduct import assign
from understudy.errors import LogError
from understudy.record import GroupWriter, Recordings, SecondSession, session_hash, tombstone_ids
from understudy.schema import (
    Ending,
    Event,
    Interacted,
    ResponseGiven,
    SessionEnded,
    SessionExcluded,
    SessionStarted,
)
from understudy.serve.admission import Admission
from understudy.serve.departed import Departed
from understudy.serve.film_time import films_of
from understudy.serve.limits import RateLimit
from understudy.serve.live import Live, opening
from understudy.serve.people import People
from understudy.serve.public import PublicStudy
from understudy.serve.rebuild import Kind, counted_from_log
from understudy.serve.receipts import PageEvents, check_ahead, fresh, stamped, taken
from understudy.serve.recording import AudioChunk, recording_event
from understudy.serve.refusals import Refusal, mixing, not_yours
from understudy.serve.served import ServedStudy, Settings
from understudy.serve.session_cache import CachedSession, SessionCache
from understudy.serve.tokens import Keyring, new_session_id
from understudy.serve.wire_names import PLAIN, WireNames

_ERASE_TRIES = 5
_ERASE_PAUSE_S = 0.05


class ErasedSession(LookupError):
    """A request waited for a session that was erased meanwhile."""


class Newcomer(NamedTuple):
    """Somebody who arrives: their pseudonym, the recruiter's fields, and whether they are simulated."""

    participant_id: str
    fields: Mapping[str, str] = MappingProxyType({})
    kind: Kind = "person"
    cast: str | None = None


class Arrival(NamedTuple):
    """The session of somebody who arrived, and whether it is new."""

    session_id: str
    is_new: bool


class RunningStudy:
    """One served study. All changes happen in the event loop's thread; the log is written in another thread."""

    def __init__(
        self,
        served: ServedStudy,
        writer: GroupWriter,
        *,
        keyring: Keyring,
        now_ms: Callable[[], int],
        seconds: Callable[[], float],
        settings: Settings,
    ) -> None:
        self.served = served
        self.study = served.script.study
        self.script = served.script
        self.public = PublicStudy(self.study, served.materials)
        self._films = films_of(served.materials.trials, served.assets)
        self.people = People(served.people)
        self._departed = Departed(served.people)
        self._recordings = Recordings(served.recordings)
        self._keyring = keyring
        self._settings = settings
        self._seconds = seconds
        self._now_ms = served.clock or _steady_clock(now_ms, seconds)
        access = self.study.access
        self.admission = Admission(access, keyring, study_name=self.study.name, listed=served.listed_ids)
        hourly = access.new_per_hour
        # Five minutes' worth may come at once, so that a class or a batch of links does not have to queue.
        self.newcomers = None if hourly is None else RateLimit(hourly / 3600, max(1.0, hourly / 12), seconds)
        is_rehearsal = settings.is_rehearsal or served.is_rehearsal
        counted = counted_from_log(
            served.log, self.study, self.script.digest, is_rehearsal=is_rehearsal, heard_ms=self._steady_ms()
        )
        self.ledger = counted.ledger
        self._erased = counted.erased
        self.session_ids = counted.session_ids
        self.people.keep_only(counted.participant_ids, n_sessions=self._n_sessions)
        self._n_noted = self._n_sessions
        self.n_events = 0
        self._makes_synthetic = settings.is_rehearsal
        self._kinds = counted.kinds
        if is_rehearsal:
            self._kinds.add("synthetic")
        self._writer = writer
        self._cache = SessionCache(settings.n_cached)
        self._arrival_lock = asyncio.Lock()
        self._arriving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock for each person who is arriving; it is dropped when the last request in their name is answered."""
        self.making = asyncio.Lock()
        """Held while a report or an archive is made: two at once would write the same files."""
        self._to_overwrite: set[str] = set()

    @property
    def name(self) -> str:
        """The study's name in links."""
        return self.served.name

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of people in the study, and those that may still join."""
        return frozenset(self._kinds)

    def is_erased(self, session_id: str) -> bool:
        """Tell whether a session was erased at its participant's request."""
        return not self._erased.isdisjoint(tombstone_ids(session_id))

    async def has_departed(self, participant_id: str) -> bool:
        """Tell whether a person erased their data before, in a study that can be taken once only."""
        if self.study.access.restart_after_erasing:
            return False
        mark = self._keyring.departure_mark(self.study.name, participant_id)
        return await asyncio.to_thread(self._departed.holds, mark)

    @asynccontextmanager
    async def opened(self, session_id: str) -> AsyncIterator[Live]:
        """Lock a session, so that no other request reads or changes it meanwhile."""
        slot = self._cache.slot(session_id)
        async with slot.lock:
            yield await self._live(slot, session_id)

    async def arrive(self, newcomer: Newcomer) -> Arrival | None:
        """Give somebody a place and return their session, or the one they already have; None when all are taken.

        Arrival is atomic for each person: several requests in the same name wait for each other, so the first one gets
        the session and the others find it. Only then is it safe to forget the name of somebody who got no place.
        """
        participant_id = newcomer.participant_id
        async with self._arriving.setdefault(participant_id, asyncio.Lock()):
            session_id = self.ledger.session_of(participant_id)
            if session_id is not None:
                return Arrival(session_id, is_new=False)
            if newcomer.fields:
                await self.people.remember_in_turn(participant_id, newcomer.fields)
            try:
                session_id = await self._started(newcomer)
            except SecondSession as error:
                return Arrival(error.session_id, is_new=False)
            except Refusal:
                await self._forget_name(newcomer)
                raise
            if session_id is None:
                await self._forget_name(newcomer)
                return None
            return Arrival(session_id, is_new=True)

    async def _forget_name(self, newcomer: Newcomer) -> None:
        if newcomer.fields:
            await asyncio.to_thread(self.people.forget, newcomer.participant_id)

    async def _started(self, newcomer: Newcomer) -> str | None:
        kind = "synthetic" if self._makes_synthetic else newcomer.kind
        async with self._arrival_lock:
            await self._release_overdue()
            if self._kinds - {kind}:
                raise mixing()
            assignment = assign(self.ledger, self.ledger.n_arrivals)
            if assignment is None:
                return None
            started = SessionStarted(
                session_id=new_session_id(), seq=1, at_ms=self._now_ms(), study_name=self.study.name,
                study_digest=self.script.digest, participant_id=newcomer.participant_id,
                participant_kind=kind, cast=newcomer.cast, assignment=assignment,
            )  # fmt: skip
            # Counted before it is stored, so that the next arrival need not wait for the disk.
            self.ledger.take(started.model_copy(update={"at_ms": self._steady_ms()}))
            self._kinds.add(kind)
            # Locked before the arrival lock is released: the session must not be opened before it is stored.
            slot = self._cache.slot(started.session_id)
            await slot.lock.acquire()
        try:
            await self._commit([started])
            slot.live = opening(self.script, started, self._names(started))
            self.session_ids.add(started.session_id)
        except BaseException:
            self.ledger.erase(started.session_id)
            raise
        finally:
            slot.lock.release()
        return started.session_id

    def preview(self) -> Live:
        """Return a session that is not stored, for a preview."""
        fresh = type(self.ledger)(self.study)
        assignment = assign(fresh, 0)
        if assignment is None:
            raise not_yours()
        started = SessionStarted(
            session_id="preview", seq=1, at_ms=0, study_name=self.study.name, study_digest=self.script.digest,
            participant_id="preview", participant_kind="synthetic", assignment=assignment,
        )  # fmt: skip
        return opening(self.script, started, self._keyring.wire_names(started.session_id, self.script.blocks))

    def _names(self, started: Event) -> WireNames:
        # Simulated people come with the admin token, and their drivers follow the study by its own names.
        if not isinstance(started, SessionStarted) or started.participant_kind == "synthetic":
            return PLAIN
        return self._keyring.wire_names(started.session_id, self.script.blocks)

    async def take(self, live: Live, events: PageEvents) -> None:
        """Store page events and what the engine makes of them, all or nothing; call it with the session locked."""
        new = stamped(live, fresh(live, events), self._now_ms())
        self._require_room(live, new)
        check_ahead(live, new)
        try:
            batch = taken(live, new, self._films)
            if batch:
                await self._commit(batch)
        except BaseException:
            self._cache.forget(live.session.session_id)
            raise
        self._count(live.session.session_id, batch)

    def _require_room(self, live: Live, events: PageEvents) -> None:
        # Answers go on for a while: somebody whose page has told too much must still be able to finish.
        margin = 4 if any(isinstance(event, ResponseGiven) for event in events) else 1
        most_events, most_bytes = margin * self._settings.session_events, margin * self._settings.session_bytes
        if len(live.page) + len(events) > most_events or live.n_bytes > most_bytes:
            raise Refusal(413, "This session has stored as much as one session may; only answers are still taken.")

    async def record(self, live: Live, audio: AudioChunk, limit: int) -> None:
        """Store a chunk of somebody's voice and name it in the log; call it with the session locked."""
        chunk = recording_event(live, audio, at_ms=self._now_ms(), limit=limit)
        if chunk is None:
            return
        earlier = [stored for stored in live.recordings if stored.part == chunk.part]
        try:
            await asyncio.to_thread(self._recordings.store, chunk, audio.content, earlier)
            await self._commit([chunk])
        except OSError:
            raise Refusal(503, "The recording cannot be stored just now; please try again.") from None
        except BaseException:
            self._cache.forget(live.session.session_id)
            raise
        # Only after the commit: memory must never be ahead of the log.
        live.take(chunk)

    async def end(self, live: Live, outcome: Ending, reason: str) -> None:
        """End a session from outside; call it with the session locked."""
        session_id = live.session.session_id
        ended = SessionEnded(
            session_id=session_id, seq=live.engine_seq + 1, at_ms=self._now_ms(), outcome=outcome, reason=reason
        )
        await self._commit([ended])
        was_active = self.ledger.is_active(session_id)
        live.take(ended)
        self.ledger.take(ended)
        if not was_active:
            self._give_place_back(session_id)

    async def erase(self, session_id: str, participant_id: str) -> None:
        """Remove a session and all that is known of its person; call it with the session locked."""
        if not self.study.access.restart_after_erasing:
            mark = self._keyring.departure_mark(self.study.name, participant_id)
            await asyncio.to_thread(self._departed.add, mark)
        # Before anything is gone: after a fault here, the session still exists, so the request can be repeated.
        await asyncio.to_thread(self.people.forget, participant_id)
        await asyncio.to_thread(self._recordings.forget, session_id)
        for attempt in range(_ERASE_TRIES):
            if await self._overwrite(session_id, is_last=attempt == _ERASE_TRIES - 1):
                break
            await asyncio.sleep(_ERASE_PAUSE_S * 2**attempt)
        # Only now: if the log refuses, the session must not count as erased.
        self._erased.add(session_hash(session_id))
        self.session_ids.discard(session_id)
        self.ledger.erase(session_id)
        self._cache.forget(session_id)
        await asyncio.to_thread(self.served.forget_copies)

    async def exclude(self, live: Live, reason: str) -> None:
        """Exclude a session by hand; call it with the session locked."""
        session_id = live.session.session_id
        seq = await asyncio.to_thread(self.served.log.last_seq, session_id, "desk") + 1
        excluded = SessionExcluded(
            session_id=session_id, seq=seq, at_ms=self._now_ms(), stream="desk", exclusion_id="desk",
            reason=reason, actor="researcher",
        )  # fmt: skip
        await self._commit([excluded])
        live.take(excluded)
        self.ledger.take(excluded)

    @property
    def _n_sessions(self) -> int:
        """How many sessions the log has held, erased ones included."""
        return len(self.session_ids) + len(self._erased)

    async def sweep(self) -> None:
        """Free the places of silent sessions, and finish erasures that a reader blocked."""
        if self._n_sessions > self._n_noted:
            self._n_noted = self._n_sessions
            await asyncio.to_thread(self.people.note_log_size, self._n_noted)
        async with self._arrival_lock:
            await self._release_overdue()
        for session_id in tuple(self._to_overwrite):
            await self._overwrite(session_id, is_last=True)

    async def _release_overdue(self) -> None:
        for session_id in self.ledger.overdue(self._steady_ms()):
            async with self.opened(session_id) as live:
                if live.session.outcome is None:
                    await self.end(live, "abandoned", "No sign of life for longer than the study allows.")
                else:
                    self._count(session_id, live.session.events)

    async def _overwrite(self, session_id: str, *, is_last: bool) -> bool:
        try:
            await asyncio.to_thread(self.served.log.erase, session_id)
        except LogError:
            stones = await asyncio.to_thread(self.served.log.tombstones, self.study.name)
            if {stone.session_hash for stone in stones}.intersection(tombstone_ids(session_id)):
                self._to_overwrite.add(session_id)
            elif is_last:
                raise
            return False
        self._to_overwrite.discard(session_id)
        return True

    async def _live(self, slot: CachedSession, session_id: str) -> Live:
        if self.is_erased(session_id):
            raise ErasedSession(session_id)
        if slot.live is None:
            events = await asyncio.to_thread(self.served.log.session, session_id)
            live, missing = Live.from_events(self.script, events, self._names(events[0]))
            if missing:
                await self._commit(missing)
                self._count(session_id, missing)
            slot.live = live
        return slot.live

    async def _commit(self, events: Sequence[Event]) -> None:
        await asyncio.wrap_future(self._writer.submit(events))
        self.n_events += len(events)

    def _count(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, SessionEnded | SessionExcluded):
                self.ledger.take(event)
        # Silence is measured by a monotonic clock: the clocks of pages and servers may jump by years.
        self.ledger.take(
            Interacted.model_construct(
                session_id=session_id, at_ms=self._steady_ms(), seq=1, step=0, trial_id="", action=""
            )
        )

    def _steady_ms(self) -> int:
        # The simulated time of a rehearsal may run faster than any real clock, and never jumps.
        return self.served.clock() if self.served.clock else int(self._seconds() * 1000)

    def _give_place_back(self, session_id: str) -> None:
        """Let the ledger forget a completion whose participant withdrew afterwards."""
        why = "Withdrew after the end."
        self.ledger.take(
            SessionExcluded(session_id=session_id, seq=1, at_ms=self._now_ms(), exclusion_id="withdrew", reason=why)
        )


def _steady_clock(now_ms: Callable[[], int], seconds: Callable[[], float]) -> Callable[[], int]:
    """Return a clock that starts at the time of day and never jumps: people's times are checked against it."""
    began_ms, began_s = now_ms(), seconds()
    return lambda: began_ms + round((seconds() - began_s) * 1000)
