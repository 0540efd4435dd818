"""Limits: how many requests and how many wrong guesses are allowed."""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

_N_KEPT = 20_000
"""Keys remembered; the longest unused goes first."""


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
    """Locks out an address for a while after too many wrong guesses."""

    def __init__(self, seconds: Callable[[], float], *, n_guesses: int = 5, closed_s: float = 60.0) -> None:
        self._seconds = seconds
        self._n_guesses = n_guesses
        self._closed_s = closed_s
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def is_closed(self, address: str) -> bool:
        """Tell whether an address must wait."""
        n_wrong, until_s = self._wrong.get(address, (0, 0.0))
        if n_wrong < self._n_guesses:
            return False
        if self._seconds() < until_s:
            return True
        del self._wrong[address]
        return False

    def count_wrong(self, address: str) -> None:
        """Remember a wrong guess."""
        n_wrong, _ = self._wrong.pop(address, (0, 0.0))
        self._wrong[address] = (n_wrong + 1, self._seconds() + self._closed_s)
        if len(self._wrong) > _N_KEPT:
            self._wrong.popitem(last=False)

    def forget(self, address: str) -> None:
        """Forget the wrong guesses of an address."""
        self._wrong.pop(address, None)
