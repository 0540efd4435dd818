"""A writer thread for many callers, in which batches that arrive together share a commit."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import NamedTuple

from understudy.errors import LogError
from understudy.record.encoded_events import Batch, encode_events
from understudy.record.log import Log
from understudy.schema import Event

_N_TOGETHER = 500
"""At most this many batches per commit, so that no caller waits long behind a burst."""


class _Submission(NamedTuple):
    batch: Batch
    future: "Future[int]"


class GroupWriter(AbstractContextManager["GroupWriter"]):
    """Appends batches for threads and coroutines; each future resolves once its batch is durable.

    A coroutine waits with `await asyncio.wrap_future(writer.submit(events))`.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._queue: SimpleQueue[_Submission | None] = SimpleQueue()
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
        submission = _Submission(Batch(encode_events(events), n_known), Future())
        with self._gate:
            if self._is_closed:
                raise LogError("The writer of the event log is closed and takes no more events; open a new one.")
            self._queue.put(submission)
        return submission.future

    def append(self, events: Sequence[Event]) -> int:
        """Make events durable, all or none, and return how many were new; a resent event counts as old."""
        return self.submit(events).result()

    def close(self) -> None:
        """Write all submitted batches, then stop; the log itself stays open."""
        with self._gate:
            if not self._is_closed:
                self._is_closed = True
                self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        is_open = True
        while is_open:
            group = [self._queue.get()]
            # Take everything that is already waiting, but never wait for more.
            while len(group) < _N_TOGETHER and group[-1] is not None:
                try:
                    group.append(self._queue.get_nowait())
                except Empty:
                    break
            is_open = group[-1] is not None
            self._write(
                [
                    submission
                    for submission in group
                    if submission is not None and submission.future.set_running_or_notify_cancel()
                ]
            )

    def _write(self, group: list[_Submission]) -> None:
        if not group:
            return
        try:
            outcomes: list[int | LogError] = self._log.append_each([submission.batch for submission in group])
        except Exception as error:
            if len(group) == 1:
                group[0].future.set_exception(error)
                return
            # The whole commit failed; written one by one, the batches that are not at fault may still succeed.
            for submission in group:
                self._write([submission])
            return
        for submission, outcome in zip(group, outcomes, strict=True):
            if isinstance(outcome, LogError):
                submission.future.set_exception(outcome)
            else:
                submission.future.set_result(outcome)
