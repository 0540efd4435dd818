"""Recruitment: whether new people may start, which researchers can pause and resume."""

import asyncio
from collections.abc import Callable

from understudy.record import Log

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
