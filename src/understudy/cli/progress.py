"""The progress bar of all commands."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(label: str, total: int | None, *, is_quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on the error stream, so that results can be piped; yield the function that advances it.

    A bar with an unknown total (None) appears only in a terminal, not in redirected output.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # Without a total, a bar in a file would be noise.
    is_left_out = is_quiet or (total is None and not console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=is_left_out) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n: bar.advance(task, n)
