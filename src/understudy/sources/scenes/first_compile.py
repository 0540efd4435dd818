"""First compile: of processes that start together, one compiles the kernels, and the others read what it kept.

Compiling takes half a minute of a whole core. Four processes on two cores would each take two minutes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_PATIENCE_S = 600.0


@contextmanager
def compiling_once(folder: Path, digest: int) -> Iterator[None]:
    """Let one process at a time into the block, until one has left it: from then on, kernels are in the folder."""
    done = folder / f"kernels-{digest:x}.done"
    if done.exists():
        yield
        return
    try:
        folder.mkdir(exist_ok=True)
        # A transaction works as a lock on every system, which releases it when the process ends.
        lock = sqlite3.connect(done.with_suffix(".lock"), timeout=_PATIENCE_S, isolation_level=None)
    except (OSError, sqlite3.Error):
        # A folder that cannot be written to: numba keeps kernels elsewhere, and everybody compiles.
        yield
        return
    with closing(lock):
        _begin(lock)
        yield
        done.touch()


def _begin(lock: sqlite3.Connection) -> None:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        # Somebody compiles for longer than anybody should wait, or the disk refuses: compile as well.
        return
