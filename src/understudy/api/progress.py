"""Progress in a terminal and in a notebook."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

from understudy.cli.progress import progress as terminal_progress


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar where somebody looks: in a terminal, or in a notebook, where it is gone when the work is done."""
    marimo = sys.modules.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        with _marimo_bar(marimo, label, total) as advance:
            yield advance
        return
    if not _is_notebook():
        with terminal_progress(label, total, is_quiet=not sys.stderr.isatty()) as advance:
            yield advance
        return
    with _jupyter_bar(label, total) as advance:
        yield advance


@contextmanager
def _jupyter_bar(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar in one output of the cell, which is empty in the end; a widget would stay behind as a word."""
    handle = sys.modules["IPython"].display.display(_bar_html(label, 0, total), raw=True, display_id=True)
    n_done = n_shown = 0

    def advance(n: int) -> None:
        nonlocal n_done, n_shown
        n_done += n
        # A message for each of thousands of steps would slow the notebook down.
        if total and 50 * (n_done - n_shown) >= total:
            n_shown = n_done
            handle.update(_bar_html(label, n_done, total), raw=True)

    try:
        yield advance
    finally:
        handle.update({"text/html": "", "text/plain": ""}, raw=True)


def _bar_html(label: str, n_done: int, total: int | None) -> dict[str, str]:
    bar = f'<progress value="{n_done}" max="{total}"></progress>' if total else "…"
    return {"text/html": f"{label} {bar}", "text/plain": f"{label} {n_done} of {total}" if total else f"{label} …"}


@contextmanager
def _marimo_bar(marimo: ModuleType, label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar of marimo, which knows nothing of terminals; work without a known end gets its spinner."""
    if total is None:
        with marimo.status.spinner(title=label, remove_on_exit=True):
            yield lambda _: None
        return
    with marimo.status.progress_bar(total=total, title=label, remove_on_exit=True) as bar:
        yield lambda n: bar.update(increment=n)


def _is_notebook() -> bool:
    """Tell whether this runs in a kernel; asked of what is loaded, since importing IPython takes a while."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and "IPKernelApp" in running.config
