"""How `understudy report` shows how far it has got: as a bar in a terminal, or in a file for the server."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from understudy.workflow.reporting.kept_report import OnProgress, Progress, write_progress

_GENTLE = 10
"""Added to the niceness of a process in the background: participants come first."""
_PAUSE_S = 0.2
"""Between two notes in the file: a disk has better things to do."""


@contextmanager
def report_progress(background: Path | None) -> Iterator[OnProgress]:
    """Yield the function that is told about progress; in the background, give way to other processes."""
    if background is not None:
        if hasattr(os, "nice"):
            os.nice(_GENTLE)
        yield _into_file(background)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("")
        yield lambda now: bar.update(task, description=now.stage, completed=now.n_done, total=now.n)


def _into_file(path: Path) -> OnProgress:
    last_s = 0.0

    def note(now: Progress) -> None:
        nonlocal last_s
        if time.monotonic() - last_s >= _PAUSE_S:
            last_s = time.monotonic()
            write_progress(path, now)

    return note
