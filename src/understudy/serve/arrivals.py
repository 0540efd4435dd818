"""Arrivals: places in order, the ledger rebuilt from the log, and what several processes share."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from understudy.conduct import Ledger, Script, assign, resume
from understudy.errors import LogError
from understudy.record import ArrivalTurn, Asked, Log, News, SessionSummary, session_hash, tombstone_ids
from understudy.schema import Event, SessionEnded, SessionExcluded, SessionStarted, Study
from understudy.serve.access import new_session_id
from understudy.serve.wire import mixing

Kind: TypeAlias = Literal["person", "synthetic"]
N_LEARNED = 20
"""From so many sessions the times of pages are learned when a server starts: enough for a mean, and quickly read."""


class Counted(NamedTuple):
    """The ledger, the erased sessions, and the known sessions and participants."""

    ledger: Ledger
    erased: set[str]
    session_ids: set[str]
    participant_ids: frozenset[str]
    kinds: set[Kind]
    completed: tuple[str, ...]
    """The last sessions that were completed."""


def counted_from_log(log: Log, study: Study, digest: str, *, is_rehearsal: bool, heard_ms: int) -> Counted:
    """Build a ledger from a log's summaries and tombstones, and refuse a log with the wrong kind of people."""
    ledger = Ledger(study)
    tombstones = log.tombstones(study.name)
    kinds: set[Kind] = {tombstone.participant_kind for tombstone in tombstones}
    known: set[str] = set()
    session_ids: set[str] = set()
    completed = deque[str](maxlen=N_LEARNED)
    for summary in log.summaries(study.name):
        if summary.study_digest != digest:
            raise LogError(
                f"The log of {study.name!r} holds sessions of another version ({summary.study_digest[:12]}) than the "
                f"one to be served ({digest[:12]}); prepare this version into another folder."
            )
        kinds.add(summary.participant_kind)
        known.add(summary.participant_id)
        session_ids.add(summary.session_id)
        if summary.outcome == "completed":
            completed.append(summary.session_id)
        fold_summary(ledger, summary, study.name, heard_ms)
    _check_kinds(kinds, study.name, is_rehearsal=is_rehearsal)
    # An erased session used an arrival number too, which must not be given again.
    ledger.n_arrivals = max(ledger.n_arrivals, len(known) + len(tombstones))
    erased = {tombstone.session_hash for tombstone in tombstones}
    return Counted(ledger, erased, session_ids, frozenset(known), kinds, tuple(completed))


def learn_times(log: Log, script: Script, session_ids: Sequence[str]) -> None:
    """Tell a script how long pages took in earlier sessions, so that minutes left are right after a restart too."""
    for session_id in session_ids:
        # Erased meanwhile by another process, or unreadable: minutes left are an estimate, and need not know it.
        with contextlib.suppress(LogError):
            script.timetable.learn(resume(script, log.session(session_id)).session.steps)


def fold_summary(ledger: Ledger, summary: SessionSummary, study_name: str, heard_ms: int) -> None:
    """Count a session of the log as it is by now."""
    # Silence is counted from the start of the server: nothing could arrive while it was down.
    ledger.take(
        SessionStarted(
            session_id=summary.session_id, seq=1, at_ms=heard_ms, study_name=study_name,
            study_digest=summary.study_digest, participant_id=summary.participant_id,
            participant_kind=summary.participant_kind, assignment=summary.assignment,
        )
    )  # fmt: skip
    session_id, at_ms = summary.session_id, summary.last_event_ms
    if summary.outcome is not None:
        ledger.take(SessionEnded(session_id=session_id, seq=2, at_ms=at_ms, outcome=summary.outcome))
    if summary.excluded_by is not None:
        why = summary.excluded_by
        ledger.take(SessionExcluded(session_id=session_id, seq=3, at_ms=at_ms, exclusion_id=why, reason=why))


def _check_kinds(kinds: set[Kind], study_name: str, *, is_rehearsal: bool) -> None:
    if "synthetic" in kinds and not is_rehearsal:
        raise LogError(
            f"The log of {study_name!r} holds simulated people, and real ones are never mixed with them; prepare the "
            "study into a new folder, or add --rehearsal to let only simulated people in."
        )
    if "person" in kinds and is_rehearsal:
        raise LogError(
            f"The log of {study_name!r} holds real people, and simulated ones are never mixed with them; prepare the "
            "study into a new folder for the rehearsal."
        )


# Arrivals: who comes, and how they are counted in before their session is stored.


class Newcomer(NamedTuple):
    """Somebody who arrives: their pseudonym, the recruiter's fields, and whether they are simulated."""

    participant_id: str
    fields: Mapping[str, str] = MappingProxyType({})
    kind: Kind = "person"
    cast: str | None = None
    condition: str | None = None
    """The condition that somebody keeps from an earlier part."""
    session_id: str | None = None
    """What their session is to be called; drawn at random by default."""


class Arrival(NamedTuple):
    """The session of somebody who arrived, and whether it is new."""

    session_id: str
    is_new: bool


class ReturningPerson(Exception):
    """Somebody has a session already, started by another process."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(session_id)


class TookPart(Exception):
    """Somebody took part in a study whose participants are not wanted here."""


class Clocks(NamedTuple):
    """The clocks of a study."""

    now_ms: Callable[[], int]
    """The time of day, by which events are stamped."""
    steady_ms: Callable[[], int]
    """A time that never jumps, by which silence is measured."""


def steady_clock(now_ms: Callable[[], int], seconds: Callable[[], float]) -> Callable[[], int]:
    """Return a clock that starts at the time of day and never jumps: people's times are checked against it."""
    began_ms, began_s = now_ms(), seconds()
    return lambda: began_ms + round((seconds() - began_s) * 1000)


class Arrivals:
    """Counts people in. Nothing here waits, so that no two of them can get the same place."""

    def __init__(self, script: Script, counted: Counted, clocks: Clocks, *, makes_synthetic: bool) -> None:
        self._script = script
        self._counted = counted
        self._clocks = clocks
        self._makes_synthetic = makes_synthetic
        self.is_blocked: Callable[[str], bool] = lambda _: False
        """Tells whether a person takes part in a study of this server whose participants are not wanted here."""

    def place_for(self, newcomer: Newcomer) -> SessionStarted | None:
        """Count a person in and return the start of their session, which still has to be stored; None if full."""
        kind = "synthetic" if self._makes_synthetic else newcomer.kind
        if self._counted.kinds - {kind}:
            raise mixing()
        # Looked up in the same moment: the person may be arriving in both studies at once.
        if self.is_blocked(newcomer.participant_id):
            raise TookPart
        ledger = self._counted.ledger
        assignment = assign(ledger, ledger.n_arrivals, newcomer.condition)
        if assignment is None:
            return None
        started = SessionStarted(
            session_id=newcomer.session_id or new_session_id(), seq=1, at_ms=self._clocks.now_ms(), study_name=self._script.study.name,
            study_digest=self._script.digest, participant_id=newcomer.participant_id,
            participant_kind=kind, cast=newcomer.cast, assignment=assignment,
        )  # fmt: skip
        ledger.take(started.model_copy(update={"at_ms": self._clocks.steady_ms()}))
        self._counted.session_ids.add(started.session_id)
        self._counted.kinds.add(kind)
        return started

    def take_back(self, started: SessionStarted) -> None:
        """Uncount somebody whose start could not be stored."""
        self._counted.ledger.erase(started.session_id)
        self._counted.session_ids.discard(started.session_id)


# A study that several processes serve from one database, each following what the others store.
#
# A process may be behind the log at any moment, and does no harm by it: arrivals are decided in a turn that begins with
# the news, and a batch of a session that has changed meanwhile is rejected by the log. Only arrivals take places; what
# a process has not heard of yet (an end, an erasure) could only free one.


class Waiting(NamedTuple):
    """Somebody who waits for the next turn."""

    participant_id: str
    fields: Mapping[str, str]
    start: Callable[[], SessionStarted | None]
    """Gives them a place; None when all are taken. Called in the turn, when everything stored is known."""
    decided: "asyncio.Future[SessionStarted | str | None]"
    """Becomes their start, the session they have already, or None."""


class Hearing(NamedTuple):
    """What the server does when it hears of other processes."""

    steady_ms: Callable[[], int]
    """The clock by which silence is measured."""
    on_started: Callable[[], object]
    """Called for each session that another process started."""
    on_erased: Callable[[str], object]
    """Called in a thread for each session that another process erased."""


class SharedStudy:
    """Follows the log of a study, and takes turns with other processes."""

    def __init__(self, log: Log, script: Script, counted: Counted, *, position: int, hearing: Hearing) -> None:
        self._log = log
        self._study = script.study
        self._digest = script.digest
        self._counted = counted
        self._position = position
        self._hearing = hearing
        self._queue: list[Waiting] = []
        self._turn = asyncio.Lock()

    async def catch_up(self) -> None:
        """Read what other processes have stored, and count it."""
        news = await asyncio.to_thread(self._log.news, self._study.name, self._position)
        await self._forget(self._follow(news))

    async def started(self, waiting: Waiting) -> SessionStarted | str | None:
        """Return the start of somebody's session, the session they have already, or None when all places are taken."""
        self._queue.append(waiting)
        async with self._turn:
            if not waiting.decided.done():
                # Everybody who waits is decided in one turn, and stored with one commit.
                queue, self._queue = self._queue, []
                # A request that is given up must not leave a turn open in which another thread works.
                await asyncio.shield(asyncio.ensure_future(self._decide(queue)))
        return await waiting.decided

    async def _decide(self, queue: Sequence[Waiting]) -> None:
        elsewhere = self._study.refuses_people_of
        people = [waiting.participant_id for waiting in queue]
        starts: list[SessionStarted] = []
        results: list[SessionStarted | str | BaseException | None]
        n_arrivals = self._counted.ledger.n_arrivals
        try:
            turn = await asyncio.to_thread(
                self._log.arrival_turn, Asked(self._study.name, self._position, people, elsewhere)
            )
            try:
                gone = self._follow(turn.news)
                n_arrivals = self._counted.ledger.n_arrivals
                results = [self._result(waiting, turn, starts) for waiting in queue]
            except BaseException:
                await asyncio.to_thread(turn.give_up)
                raise
            fields = {waiting.participant_id: waiting.fields for waiting in queue}
            await asyncio.to_thread(turn.commit, starts, fields)
        except Exception as error:
            # Nothing was stored, so nobody holds a place and no number is used.
            for start in starts:
                self._counted.ledger.erase(start.session_id)
                self._counted.session_ids.discard(start.session_id)
            self._counted.ledger.n_arrivals = n_arrivals
            results, gone = [error for _ in queue], []
        for waiting, result in zip(queue, results, strict=True):
            _resolve(waiting.decided, result)
        await self._forget(gone)

    async def _forget(self, session_ids: Sequence[str]) -> None:
        for session_id in session_ids:
            await asyncio.to_thread(self._hearing.on_erased, session_id)

    def _result(
        self, waiting: Waiting, turn: ArrivalTurn, starts: list[SessionStarted]
    ) -> SessionStarted | str | BaseException | None:
        held = self._counted.ledger.session_of(waiting.participant_id)
        if held is not None:
            return held
        if waiting.participant_id in turn.took_part:
            return TookPart()
        try:
            start = waiting.start()
        except Exception as refusal:
            return refusal
        if start is not None:
            starts.append(start)
        return start

    def _follow(self, news: News) -> list[str]:
        """Count what is new, and return the sessions that others erased; hearing of the same twice changes nothing."""
        ledger, erased, session_ids = self._counted.ledger, self._counted.erased, self._counted.session_ids
        steady_ms = self._hearing.steady_ms()
        hashes = news.erased - erased
        erased |= hashes
        gone = [known for known in session_ids if hashes.intersection(tombstone_ids(known))] if hashes else []
        for session_id in gone:
            ledger.erase(session_id)
            session_ids.discard(session_id)
        for event in news.events:
            self._count(event, steady_ms)
        for session_id in news.heard:
            # Silence is measured by this process's own clock, from the moment it heard of somebody.
            ledger.hear(session_id, steady_ms)
        # A session that was started and erased since the last news has used a number too.
        ledger.n_arrivals = max(ledger.n_arrivals, len(session_ids) + len(erased))
        self._position = max(self._position, news.position)
        return gone

    def _count(self, event: Event, steady_ms: int) -> None:
        ledger, session_ids = self._counted.ledger, self._counted.session_ids
        if isinstance(event, SessionStarted):
            is_gone = session_hash(event.session_id) in self._counted.erased
            if event.session_id in session_ids or is_gone:
                return
            self._require_same_version(event)
            ledger.take(event.model_copy(update={"at_ms": steady_ms}))
            session_ids.add(event.session_id)
            self._counted.kinds.add(event.participant_kind)
            self._hearing.on_started()
        elif event.session_id in session_ids:
            was_active = ledger.is_active(event.session_id)
            ledger.take(event)
            if isinstance(event, SessionEnded) and event.outcome == "withdrew" and not was_active:
                ledger.take(
                    SessionExcluded(
                        session_id=event.session_id, seq=1, at_ms=event.at_ms, exclusion_id="withdrew",
                        reason="Withdrew after the end.",
                    )
                )  # fmt: skip

    def _require_same_version(self, event: SessionStarted) -> None:
        if event.study_digest != self._digest:
            raise LogError(
                f"The event log {self._log.label} holds sessions of another version of {self._study.name!r} "
                f"({event.study_digest[:12]}) than this process serves ({self._digest[:12]}); serve the same prepared "
                "folder from every process."
            )


def _resolve(
    decided: "asyncio.Future[SessionStarted | str | None]", result: SessionStarted | str | BaseException | None
) -> None:
    if decided.done():
        return  # the request was given up
    if isinstance(result, BaseException):
        decided.set_exception(result)
    else:
        decided.set_result(result)
