"""Long work in a notebook shows a bar: that of marimo there, and that of the terminal in Jupyter."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from understudy.api.progress import progress


class Bars:
    """Stands in for marimo, and notes what it is asked to show."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self.status = SimpleNamespace(progress_bar=self._bar, spinner=self._spinner)

    def running_in_notebook(self) -> bool:
        return True

    @contextmanager
    def _bar(self, *, total: int, title: str, remove_on_exit: bool) -> Iterator[SimpleNamespace]:
        self.seen.append((title, total, remove_on_exit))
        yield SimpleNamespace(update=lambda increment: self.seen.append(increment))

    @contextmanager
    def _spinner(self, *, title: str, remove_on_exit: bool) -> Iterator[None]:
        self.seen.append((title, remove_on_exit))
        yield


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> Bars:
    stand_in = Bars()
    monkeypatch.setattr(sys, "modules", {**sys.modules, "marimo": stand_in})
    return stand_in


def test_marimo_shows_how_far_the_work_is(bars: Bars) -> None:
    with progress("Rehearsing", 3) as advance:
        advance(2)
        advance(1)
    assert bars.seen == [("Rehearsing", 3, True), 2, 1]


def test_jupyter_shows_a_bar_in_one_output_that_is_empty_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda data, **_options: shown.append(data["text/plain"]))

    def display(data: dict[str, str], **_options: bool) -> SimpleNamespace:
        shown.append(data["text/plain"])
        return handle

    kernel = SimpleNamespace(config={"IPKernelApp": {}})
    stand_in = SimpleNamespace(get_ipython=lambda: kernel, display=SimpleNamespace(display=display))
    monkeypatch.setattr(sys, "modules", {**sys.modules, "IPython": stand_in, "marimo": None})
    with progress("Rehearsing", 2) as advance:
        advance(1)
    assert shown == ["Rehearsing 0 of 2", "Rehearsing 1 of 2", ""]


def test_marimo_shows_work_without_a_known_end(bars: Bars) -> None:
    with progress("Preparing", None) as advance:
        advance(1)
    assert bars.seen == [("Preparing", True)]
