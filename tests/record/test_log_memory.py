"""Reading a long log takes no more memory than reading a short one."""

import tracemalloc
from pathlib import Path

from tests.log_events import moves, started
from understudy.record import open_log


def peak_of_reading(path: Path, n_sessions: int) -> int:
    with open_log(path) as log:
        for number in range(n_sessions):
            log.append([started(f"s{number}"), *moves(f"s{number}", 1, 30)])
        tracemalloc.start()
        n_read = sum(1 for _ in log.sessions())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert n_read == n_sessions
    return peak


def test_sessions_are_streamed(tmp_path: Path) -> None:
    short = peak_of_reading(tmp_path / "short.sqlite", 100)
    assert peak_of_reading(tmp_path / "long.sqlite", 600) < 1.3 * short
