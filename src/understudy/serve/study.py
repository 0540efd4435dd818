"""A served study: people arrive, pages send events, and every event is durable before it is acknowledged."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from weakref import WeakValueDictionary

from understudy.conduct import assign
from understudy.conduct.coding_room import CodingRoom
from understudy.errors import LogError
from understudy.record import GroupWriter, Log, Recordings, SecondSession, StaleSession, session_hash, tombstone_ids
from understudy.schema import Ending, Event, SessionEnded, SessionExcluded, SessionStarted
from understudy.schema.events import DeskEvent
from understudy.serve.access import Admission, Keyring, hourly_limit
from understudy.serve.arrivals import (
    Arrival,
    Arrivals,
    Clocks,
    Counted,
    Hearing,
    Kind,
    Newcomer,
    ReturningPerson,
    SharedStudy,
    TookPart,
    Waiting,
    counted_from_log,
    fold_summary,
    learn_times,
    steady_clock,
)
from understudy.serve.desk.monitor import MonitorFold
from understudy.serve.desk.overview import FactsCache, Overview
from understudy.serve.files import films_of
from understudy.serve.live_session import (
    AudioChunk,
    Live,
    PageEvents,
    checked_ahead,
    fresh,
    opening,
    received,
    recording_event,
    taken,
)
from understudy.serve.own_data import words_of
from understudy.serve.people import Departed, People, marks_of
from understudy.serve.public_study import PublicStudy
from understudy.serve.sessions import ErasedSession, SessionStore
from understudy.serve.settings import ServedStudy, Settings
from understudy.serve.wire import PLAIN, Refusal, WireNames, not_yours

# Recruitment: whether new people may start, which researchers can pause and resume.

_FRESH_S = 1.0
"""How old the answer may be: another process may have paused the study meanwhile."""


class Recruitment:
    """Asks the log, at most once a second."""

    def __init__(self, log: Log, study_name: str, seconds: Callable[[], float]) -> None:
        self._log = log
        self._study_name = study_name
        self._seconds = seconds
        self._is_paused = False
        self._asked_s: float | None = None
        self._asking = asyncio.Lock()

    async def is_paused(self) -> bool:
        """Tell whether nobody new may start."""
        if not self._is_fresh:
            async with self._asking:  # a class that arrives at once asks once
                if not self._is_fresh:
                    self._is_paused = await asyncio.to_thread(self._log.is_paused, self._study_name)
                    self._asked_s = self._seconds()
        return self._is_paused

    @property
    def _is_fresh(self) -> bool:
        return self._asked_s is not None and self._seconds() - self._asked_s <= _FRESH_S

    def ask_again(self) -> None:
        """Forget the answer, because it has just changed."""
        self._asked_s = None


logger = logging.getLogger("understudy.serve")

_ERASE_TRIES = 5
_ERASE_PAUSE_S = 0.05
_MOST_LOST = 10_000


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
        self.script, self.study = served.script, served.script.study
        self.public = PublicStudy(self.study, served.materials)
        self._films = films_of(served.materials.trials, served.assets)
        self.overview, self.monitor = Overview(served.log, self.study), MonitorFold(served.log, self.script)
        self.people = None if served.log.is_shared else People(served.people)
        """The recruiters' ids; None where they are in the shared database, and written with the start of a session."""
        self.departed = Departed(marks_of(served.log, served.people), self.study, keyring)
        self.recordings = Recordings(served.recordings)
        self._keyring, self._settings, self._seconds = keyring, settings, seconds
        self._now_ms = served.clock or steady_clock(now_ms, seconds)
        access = self.study.access
        self.admission = Admission(access, keyring, study_name=self.study.name, listed=served.listed_ids)
        self.newcomers = hourly_limit(access.new_per_hour, seconds)
        self.recruitment = Recruitment(served.log, self.study.name, seconds)
        self.facts, self.coding = FactsCache(served.log, self.script), CodingRoom(served.log, self.script)
        is_rehearsal = settings.is_rehearsal or served.is_rehearsal
        # Read first: what other processes store while the summaries are read is heard of with the first news.
        position = served.log.last_position()
        counted = counted_from_log(
            served.log, self.study, self.script.digest, is_rehearsal=is_rehearsal, heard_ms=self._steady_ms()
        )
        self.ledger, self._erased, self.session_ids = counted.ledger, counted.erased, counted.session_ids
        learn_times(served.log, self.script, counted.completed)
        if self.people is not None:
            n_aside = self.people.keep_only(
                counted.participant_ids, n_sessions=self._n_sessions, accepts_loss=bool(settings.losses)
            )
            if n_aside:
                logger.warning(
                    "people set aside",
                    extra={"fields": {"study": self.study.name, "n": n_aside, "file": str(served.people)}},
                )
        self.neighbours: Mapping[str, RunningStudy] = MappingProxyType({})
        """All studies of this server, by the names of their addresses."""
        self._n_noted, self._kinds = self._n_sessions, counted.kinds
        self._kinds.update(["synthetic"] if is_rehearsal else [])
        self._shared = self._followed(counted, position)
        clocks = Clocks(self._now_ms, self._steady_ms)
        self._arrivals = Arrivals(self.script, counted, clocks, makes_synthetic=settings.is_rehearsal)
        self._arrivals.is_blocked = self._is_blocked
        self._store = SessionStore(
            served.log, writer, self.script, names=self._names, n_cached=settings.n_cached, erased=self._erased,
            shared=self._shared, on_derived=self._count,
        )  # fmt: skip
        self.opened, self.in_session, self.is_erased = self._store.opened, self._store.in_session, self._store.is_erased
        self._arrival_lock = asyncio.Lock()
        self._arriving: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """A lock for each person who is arriving; it is dropped when the last request in their name is answered."""
        self.making = asyncio.Lock()
        """Held while a report or an archive is made: two at once would write the same files."""
        self.report_job: asyncio.Task[bytes] | None = None
        """Makes the report, or has made the last one."""
        self.report_until_s = 0.0
        """Until when, by the event loop's clock, the last report is shown although the log has changed."""
        self.lost_pages: set[str] = set()
        """Sessions whose pages were told that something is stored which the log does not hold."""

    def note_lost(self, session_id: str) -> None:
        """Remember that a page is ahead of the log, so that researchers are told."""
        if len(self.lost_pages) < _MOST_LOST:
            self.lost_pages.add(session_id)

    def _followed(self, counted: Counted, position: int) -> SharedStudy | None:
        """Follow other processes from a position of the log on, if it can have any."""
        if not self.served.log.is_shared:
            return None
        hearing = Hearing(self._steady_ms, self._note_newcomer, self._forget_files)
        return SharedStudy(self.served.log, self.script, counted, position=position, hearing=hearing)

    @property
    def name(self) -> str:
        """The study's name in links."""
        return self.served.name

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of people in the study, and those that may still join."""
        return frozenset(self._kinds)

    @property
    def n_events(self) -> int:
        """How many events this process has stored."""
        return self._store.n_events

    async def knows(self, session_id: str) -> bool:
        """Tell whether a session is of this study, erased or not; other processes may just have started it."""
        is_known = session_id in self.session_ids or self.is_erased(session_id)
        if is_known or self._shared is None:
            return is_known
        await self._shared.catch_up()
        return session_id in self.session_ids or self.is_erased(session_id)

    async def session_of(self, participant_id: str) -> str | None:
        """Return the session that a participant has, in whichever process it was started."""
        # In turn with arrivals of the same person: a start that is not stored yet must not be opened.
        async with self._arriving.setdefault(participant_id, asyncio.Lock()):
            session_id = self.ledger.session_of(participant_id)
            if session_id is None and self._shared is not None:
                await self._shared.catch_up()
                session_id = self.ledger.session_of(participant_id)
            return session_id

    async def catch_up(self) -> None:
        """Hear of what other processes have stored."""
        if self._shared is not None:
            await self._shared.catch_up()

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
            if newcomer.fields and self.people is not None:
                await self.people.remember_in_turn(participant_id, newcomer.fields)
            try:
                session_id = await self._started(newcomer)
            except (ReturningPerson, SecondSession) as error:
                return Arrival(error.session_id, is_new=False)
            except (Refusal, TookPart):
                await self._forget_name(newcomer)
                raise
            if session_id is None:
                await self._forget_name(newcomer)
                return None
            return Arrival(session_id, is_new=True)

    async def _forget_name(self, newcomer: Newcomer) -> None:
        if newcomer.fields and self.people is not None:
            await self.people.forget_in_turn(newcomer.participant_id)

    async def _started(self, newcomer: Newcomer) -> str | None:
        if self._shared is not None:
            return await self._started_in_turn(newcomer, self._shared)
        async with self._arrival_lock:
            await self._release_overdue()
            started = self._arrivals.place_for(newcomer)
            if started is None:
                return None
            # Locked before the arrival lock is released: the session must not be opened before it is stored.
            slot = self._store.slot(started.session_id)
            await slot.lock.acquire()
        try:
            await self._commit([started])
            slot.live = opening(self.script, started, self._names(started))
        except BaseException:
            self._arrivals.take_back(started)
            raise
        finally:
            slot.lock.release()
        return started.session_id

    async def _started_in_turn(self, newcomer: Newcomer, shared: SharedStudy) -> str | None:
        async with self._arrival_lock:
            await self._release_overdue()
        waiting = Waiting(
            newcomer.participant_id, newcomer.fields, lambda: self._arrivals.place_for(newcomer),
            asyncio.get_running_loop().create_future(),
        )  # fmt: skip
        started = await shared.started(waiting)
        if isinstance(started, str):
            raise ReturningPerson(started)
        return None if started is None else started.session_id

    def _is_blocked(self, participant_id: str) -> bool:
        blocking = (self.neighbours.get(name) for name in self.study.refuses_people_of)
        return any(other is not None and other.ledger.session_of(participant_id) is not None for other in blocking)

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
        unseen = fresh(live, events)
        if not unseen:
            # The page may have gone on with another process, and must be told where it is.
            await self._store.read_on(live)
        self._require_room(live, unseen)
        new = received(live, unseen, self._now_ms())
        checked = checked_ahead(live, new)
        try:
            batch = taken(live, checked, new, self._films)
            if batch:
                await self._commit(batch)
        except BaseException:
            self._store.forget(live.session.session_id)
            raise
        self._count(live.session.session_id, batch)

    def _require_room(self, live: Live, events: PageEvents) -> None:
        # Answers go on for a while: somebody whose page has told too much must still be able to finish.
        margin = 4 if any(event.type == "response_given" for event in events) else 1
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
            await asyncio.to_thread(self.recordings.store, chunk, audio.content, earlier)
            await self._commit([chunk])
        except OSError:
            raise Refusal(503, "The recording cannot be stored just now; please try again.") from None
        except BaseException:
            self._store.forget(live.session.session_id)
            raise
        # Only after the commit: memory must never be ahead of the log.
        live.take(chunk)

    def fields_of(self, participant_id: str) -> dict[str, str]:
        """Return the parameters of the link that a participant came by."""
        if self.people is not None:
            return self.people.fields_of(participant_id)
        return self.served.log.recruiter_fields(self.study.name, participant_id)

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
        events = await asyncio.to_thread(self.served.log.session, session_id)
        words = words_of(session_id, participant_id, await asyncio.to_thread(self.fields_of, participant_id), events)
        await self.departed.add(participant_id)
        # Before anything is gone: after a fault here, the session still exists, so the request can be repeated.
        if self.people is not None:
            await asyncio.to_thread(self.people.forget, participant_id)
        await asyncio.to_thread(self.recordings.forget, session_id)
        for attempt in range(_ERASE_TRIES):
            if await self._overwrite(session_id, is_last=attempt == _ERASE_TRIES - 1):
                break
            await asyncio.sleep(_ERASE_PAUSE_S * 2**attempt)
        # Only now: if the log refuses, the session must not count as erased.
        self._erased.add(session_hash(session_id))
        self.session_ids.discard(session_id)
        self.ledger.erase(session_id)
        self._store.forget(session_id)
        self.facts.forget(session_id)
        await asyncio.to_thread(self.served.forget_copies, words)
        # It holds the page in memory, in which the erased person may be a point.
        self.report_job = None

    async def take_from_desk(self, live: Live, event: DeskEvent) -> None:
        """Store what a researcher decided about a session; call it with the session locked."""
        await self._commit([event])
        live.take(event)
        if isinstance(event, SessionExcluded):
            self.ledger.take(event)

    async def count_collected(self) -> None:
        """Count sessions that came into the log from result files."""
        for summary in await asyncio.to_thread(lambda: list(self.served.log.summaries(self.study.name))):
            if summary.session_id not in self.session_ids:
                fold_summary(self.ledger, summary, self.study.name, self._steady_ms())
                self.session_ids.add(summary.session_id)
                self._kinds.add(summary.participant_kind)

    def now_ms(self) -> int:
        """Return the time by the study's clock."""
        return self._now_ms()

    @property
    def _n_sessions(self) -> int:
        """How many sessions the log has held, erased ones included."""
        return len(self.session_ids) + len(self._erased)

    async def sweep(self) -> None:
        """Free the places of silent sessions, and finish erasures that a reader blocked."""
        await self.catch_up()
        if self.people is not None and self._n_sessions > self._n_noted:
            self._n_noted = self._n_sessions
            await asyncio.to_thread(self.people.note_log_size, self._n_noted)
        async with self._arrival_lock:
            await self._release_overdue()
        # A reader, or a crash of this or another process, may have left bytes in the files.
        with contextlib.suppress(LogError):
            await asyncio.to_thread(self.served.log.finish_erasures)

    async def _release_overdue(self) -> None:
        if self._shared is not None and self.ledger.overdue(self._steady_ms()):
            await self._shared.catch_up()  # they may be busy in another process
        for session_id in self.ledger.overdue(self._steady_ms()):
            # Gone or changed meanwhile, by another process: then it is not silent.
            with contextlib.suppress(ErasedSession, StaleSession):
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
            if is_last and {stone.session_hash for stone in stones}.isdisjoint(tombstone_ids(session_id)):
                raise
            return False
        return True

    async def _commit(self, events: Sequence[Event]) -> None:
        await self._store.commit(events)

    def _note_newcomer(self) -> None:
        # Every process counts everybody who starts, so that all together keep the study's rate.
        if self.newcomers is not None:
            self.newcomers.allows("")

    def _forget_files(self, session_id: str) -> None:
        self.recordings.forget(session_id)
        self.served.forget_copies({session_id})

    def _count(self, session_id: str, events: Sequence[Event]) -> None:
        for event in events:
            if event.type in ("session_ended", "session_excluded"):
                self.ledger.take(event)
        # Silence is measured by a monotonic clock: the clocks of pages and servers may jump by years.
        self.ledger.hear(session_id, self._steady_ms())

    def _steady_ms(self) -> int:
        # The simulated time of a rehearsal may run faster than any real clock, and never jumps.
        return self.served.clock() if self.served.clock else int(self._seconds() * 1000)

    def _give_place_back(self, session_id: str) -> None:
        """Let the ledger forget a completion whose participant withdrew afterwards."""
        why = "Withdrew after the end."
        self.ledger.take(
            SessionExcluded(session_id=session_id, seq=1, at_ms=self._now_ms(), exclusion_id="withdrew", reason=why)
        )
