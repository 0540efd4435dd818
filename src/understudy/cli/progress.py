"""The progress bar of all commands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from understudy.deferred.rich import console
from understudy.deferred.rich import progress as bars


@contextmanager
def progress(label: str, total: int | None, *, is_quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on the error stream, so that results can be piped; yield the function that advances it.

    A bar with an unknown total (None) appears only in a terminal, not in redirected output.
    """
    # Without a total, a bar in a file would be noise.
    if is_quiet or (total is None and not sys.stderr.isatty()):
        yield lambda _: None
        return
    columns = (
        bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn(),
    )  # fmt: skip
    with bars.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n: bar.advance(task, n)
