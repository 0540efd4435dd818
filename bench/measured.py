"""Measured: one line of the benchmark page, and how a piece of work is timed."""

import time
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

Clock: TypeAlias = Literal["cpu", "wall"]
_CLOCKS: dict[Clock, Callable[[], float]] = {"cpu": time.process_time, "wall": time.perf_counter}


class Unavailable(Exception):
    """What a row needs is not on this machine; the page says what."""


class Timing(NamedTuple):
    """Seconds of the best of several repeats, with the slowest beside it."""

    best_s: float
    worst_s: float
    n_repeats: int
    clock: Clock


class Peer(NamedTuple):
    """Somebody else's way of doing the same work; `seconds` is None where it is not installed here."""

    name: str
    version: str
    seconds: float | None
    note: str = ""


class Row(NamedTuple):
    """One figure, beside its peer where there is one."""

    what: str
    n: int
    """How many of what the row counts: resamples, fits, people, submissions, studies."""
    seed: int
    ours: Timing
    peer: Peer | None
    method: str
    reads: str = ""
    """The figure in the words of its target, such as a rate or the peak memory."""
    target: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times longer the peer takes; None without a measured peer."""
        if self.peer is None or self.peer.seconds is None:
            return None
        return self.peer.seconds / self.ours.best_s


class Bench(NamedTuple):
    """A row that can be measured; `run` is told whether to be quick and works in a process of its own."""

    name: str
    run: Callable[[bool], Row]
    is_slow: bool = False
    """Left out by --quick."""
    has_one_blas_thread: bool = True


def timed(work: Callable[[], object], *, n_repeats: int, clock: Clock = "cpu", n_warm: int = 1) -> Timing:
    """Time a piece of work several times, after warming up."""
    for _ in range(n_warm):
        work()
    now = _CLOCKS[clock]
    seconds = []
    for _ in range(n_repeats):
        start = now()
        work()
        seconds.append(now() - start)
    return Timing(min(seconds), max(seconds), n_repeats, clock)
