"""One progress bar for all long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress(label: str, total: int | None, *, is_quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on the error stream, so that results can be piped; yield the function that moves it.

    A total of None is one that nobody knows beforehand; such a bar is for people only, and left out of files.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    is_left_out = is_quiet or (total is None and not console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=is_left_out) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n: bar.advance(task, n)
