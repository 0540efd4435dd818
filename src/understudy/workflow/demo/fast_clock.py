"""A clock that starts now and runs faster than real time."""

import time
from collections.abc import Callable


class FastClock:
    """Returns simulated time in milliseconds, which runs `speed` times as fast as real time."""

    def __init__(self, start_ms: int, *, speed: float, seconds: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._start_ms = start_ms
        self._seconds = seconds
        self._began_s = seconds()

    def __call__(self) -> int:
        """Return the simulated time."""
        return self._start_ms + int((self._seconds() - self._began_s) * 1000 * self.speed)

    def wait_s(self, until_ms: int) -> float:
        """Return the real seconds until a simulated time, at least 0."""
        return max(0.0, (until_ms - self()) / 1000 / self.speed)
