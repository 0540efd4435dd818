"""A writer thread for many callers, in which batches that arrive together share a commit."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import NamedTuple

from understudy.errors import LogError
from understudy.record.encoding import Batch, encode_events
from understudy.record.log import Log
from understudy.schema import Event

_N_TOGETHER = 500
"""At most this many batches per commit, so that no caller waits long behind a burst."""


class _Submission(NamedTuple):
    batch: Batch
    future: "Future[int] | asyncio.Future[int]"

    def is_wanted(self) -> bool:
        """Tell whether somebody still waits for it; from now on it is written."""
        future = self.future
        return future.set_running_or_notify_cancel() if isinstance(future, Future) else not future.cancelled()


class _Outcome(NamedTuple):
    future: "Future[int] | asyncio.Future[int]"
    result: int | Exception


class GroupWriter(AbstractContextManager["GroupWriter"]):
    """Appends batches for threads (`submit`) and coroutines (`store`); each future resolves once its batch is durable."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._queue: SimpleQueue[list[_Submission] | None] = SimpleQueue()
        self._gathered: list[_Submission] = []
        """From coroutines, until their loop has nothing else to do at once."""
        self._gate = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, name="understudy-writer", daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write all submitted batches, then stop."""
        self.close()

    def submit(self, events: Sequence[Event], *, n_known: int | None = None) -> "Future[int]":
        """Submit a batch; the future resolves to the number of new events once all are durable.

        With `n_known`, the batch is rejected as stale unless the log holds just so many events of its session.
        """
        future: Future[int] = Future()
        submission = _Submission(Batch(encode_events(events), n_known), future)
        with self._gate:
            self._require_open()
            self._queue.put([submission])
        return future

    def store(self, batch: Batch) -> "asyncio.Future[int]":
        """Submit a batch from a coroutine, which awaits the number of new events."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int] = loop.create_future()
        with self._gate:
            self._require_open()
            self._gathered.append(_Submission(batch, future))
        # After all that the loop is ready to do now, so that requests which came together share a commit.
        loop.call_soon(self._pass_on)
        return future

    def append(self, events: Sequence[Event]) -> int:
        """Make events durable, all or none, and return how many were new; a resent event counts as old."""
        return self.submit(events).result()

    def close(self) -> None:
        """Write all submitted batches, then stop; the log itself stays open."""
        with self._gate:
            if not self._is_closed:
                self._is_closed = True
                self._queue.put(self._gathered)
                self._queue.put(None)
        self._thread.join()

    def _require_open(self) -> None:
        if self._is_closed:
            raise LogError("The writer of the event log is closed. Open a new one.")

    def _pass_on(self) -> None:
        with self._gate:
            if self._gathered and not self._is_closed:
                self._queue.put(self._gathered)
                self._gathered = []

    def _serve(self) -> None:
        is_open = True
        while is_open:
            group: list[_Submission] = []
            waiting = self._queue.get()
            # Take everything that is already waiting, but never wait for more.
            while waiting is not None:
                group += waiting
                if len(group) >= _N_TOGETHER:
                    break
                try:
                    waiting = self._queue.get_nowait()
                except Empty:
                    break
            is_open = waiting is not None
            wanted = [submission for submission in group if submission.is_wanted()]
            for first in range(0, len(wanted), _N_TOGETHER):
                self._write(wanted[first : first + _N_TOGETHER])

    def _write(self, group: list[_Submission]) -> None:
        if not group:
            return
        try:
            results: list[int | LogError] = self._log.append_each([submission.batch for submission in group])
        except Exception as error:
            if len(group) == 1:
                _tell([_Outcome(group[0].future, error)])
                return
            # The whole commit failed; written one by one, the batches that are not at fault may still succeed.
            for submission in group:
                self._write([submission])
            return
        _tell(_Outcome(submission.future, result) for submission, result in zip(group, results, strict=True))


def _tell(outcomes: Iterable[_Outcome]) -> None:
    """Resolve futures; those of coroutines in one call of their event loop, since waking it costs as much as an event."""
    of_loops: defaultdict[asyncio.AbstractEventLoop, list[_Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if isinstance(outcome.future, Future):
            _resolve(outcome)
        else:
            of_loops[outcome.future.get_loop()].append(outcome)
    for loop, of_loop in of_loops.items():
        with suppress(RuntimeError):  # the loop was closed, so nobody waits
            loop.call_soon_threadsafe(_resolve_all, of_loop)


def _resolve_all(outcomes: Sequence[_Outcome]) -> None:
    for outcome in outcomes:
        if not outcome.future.done():  # cancelled meanwhile
            _resolve(outcome)


def _resolve(outcome: _Outcome) -> None:
    if isinstance(outcome.result, Exception):
        outcome.future.set_exception(outcome.result)
    else:
        outcome.future.set_result(outcome.result)
