"""Fast clock: simulated time, which begins now and runs faster than ours."""

import time
from collections.abc import Callable


class FastClock:
    """Tells simulated time in milliseconds; minutes of a simulated person pass in seconds of ours."""

    def __init__(self, start_ms: int, *, speed: float, seconds: Callable[[], float] = time.monotonic) -> None:
        self.speed = speed
        self._start_ms = start_ms
        self._seconds = seconds
        self._began_s = seconds()

    def __call__(self) -> int:
        """Return the simulated time."""
        return self._start_ms + int((self._seconds() - self._began_s) * 1000 * self.speed)

    def wait_s(self, until_ms: int) -> float:
        """Return how many of our seconds there are until a simulated moment; never less than none."""
        return max(0.0, (until_ms - self()) / 1000 / self.speed)
