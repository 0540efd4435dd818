"""A study that several processes serve from one database, each following what the others store.

A process may be behind the log at any moment, and does no harm by it: arrivals are decided in a turn that begins with
the news, and a batch of a session that has changed meanwhile is rejected by the log. Only arrivals take places; what
a process has not heard of yet (an end, an erasure) could only free one.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from understudy.conduct import Script
from understudy.errors import LogError
from understudy.record import ArrivalTurn, Asked, Log, News, session_hash, tombstone_ids
from understudy.schema import Event, SessionEnded, SessionExcluded, SessionStarted
from understudy.serve.people.arrivals import TookPart
from understudy.serve.rebuild import Counted


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
