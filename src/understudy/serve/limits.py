"""Limits: how many requests and how many wrong guesses are allowed."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

_N_KEPT = 20_000
"""Keys remembered; the longest unused goes first."""
N_GUESSES, N_GUESSES_FOR_NAME = 5, 20
"""Wrong guesses from one address, and for one researcher's name from all addresses together."""
CLOSED_S = 60.0
"""How long nobody is admitted after that."""


class _Bucket(NamedTuple):
    tokens: float
    at_s: float


class RateLimit:
    """Allows each key a number of requests per second, with bursts (a token bucket)."""

    def __init__(self, rate: float, burst: float, seconds: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._seconds = seconds
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Count one request of a key and tell whether it may pass."""
        now = self._seconds()
        # Removed and put back at the end, so that the dictionary is in the order of last use.
        bucket = self._buckets.pop(key, _Bucket(self._burst, now))
        tokens = min(self._burst, bucket.tokens + max(0.0, now - bucket.at_s) * self._rate)
        may_pass = tokens >= 1.0
        self._buckets[key] = _Bucket(tokens - 1.0 if may_pass else tokens, now)
        if len(self._buckets) > _N_KEPT:
            self._buckets.popitem(last=False)
        return may_pass


def hourly_limit(per_hour: float | None, seconds: Callable[[], float]) -> RateLimit | None:
    """Return a limit for all who come together; five minutes' worth may come at once, as a class or a batch of links."""
    return None if per_hour is None else RateLimit(per_hour / 3600, max(1.0, per_hour / 12), seconds)


class LockOut:
    """Locks out an address for a while after too many wrong guesses.

    A guess is counted before it is judged, and forgotten if it was right. Counted afterwards, any number of guesses sent at
    one moment would all be judged.
    """

    def __init__(self, seconds: Callable[[], float], *, n_guesses: int = N_GUESSES, closed_s: float = CLOSED_S) -> None:
        self._seconds = seconds
        self._n_guesses = n_guesses
        self._closed_s = closed_s
        self._guesses: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def is_closed(self, address: str) -> bool:
        """Tell whether an address must wait."""
        n_guesses, until_s = self._guesses.get(address, (0, 0.0))
        if n_guesses < self._n_guesses:
            return False
        if self._seconds() < until_s:
            return True
        del self._guesses[address]
        return False

    def admits(self, address: str) -> bool:
        """Count a guess that is about to be judged; false if the address must wait instead."""
        if self.is_closed(address):
            return False
        n_guesses, _ = self._guesses.pop(address, (0, 0.0))
        self._guesses[address] = (n_guesses + 1, self._seconds() + self._closed_s)
        if len(self._guesses) > _N_KEPT:
            self._guesses.popitem(last=False)
        return True

    def forget(self, address: str) -> None:
        """Forget the guesses of an address, since the last one was right."""
        self._guesses.pop(address, None)


class PasswordQueue:
    """Checks few passwords at once and lets few wait: Argon2 takes 64 MiB each time."""

    def __init__(self, *, n_at_once: int = 2, n_in_line: int = 8) -> None:
        self._n_in_line = n_in_line
        self._n_here = 0
        self._checking = asyncio.Semaphore(n_at_once)

    @property
    def is_full(self) -> bool:
        """Tell whether nobody else may wait."""
        return self._n_here >= self._n_in_line

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait in line, and check during the block."""
        self._n_here += 1
        try:
            async with self._checking:
                yield
        finally:
            self._n_here -= 1
