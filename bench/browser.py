"""Browser: Chromium, and what one load of a page costs in it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from measured import Unavailable

_SYSTEM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
_SETTLE_MS = 500
"""Long tasks are counted this long after the screen can be used, too."""
_WATCH = """(ready) => {
  window.watched = { long: [], ready: null };
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.watched.long.push(one.duration);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (window.watched.ready === null && document.querySelector(ready)) window.watched.ready = performance.now();
    if (window.watched.ready === null) requestAnimationFrame(look);
  };
  look();
}"""
_TOLD = """() => ({
  ready: window.watched.ready,
  blocked: window.watched.long.reduce((sum, one) => sum + Math.max(0, one - 50), 0),
  ...Object.fromEntries(performance.getEntriesByType('paint').map((one) => [one.name, one.startTime])),
})"""

_PRESS = """({ ready, answer, next }) => {
  if (location.protocol === 'about:') return;
  const kept = sessionStorage;
  kept.began ??= performance.timeOrigin;
  const isSecond = kept.isPressed === 'yes';
  const look = () => {
    const button = document.querySelector(ready);
    if (kept.isPressed !== 'yes' && button) {
      if (answer) document.querySelector(answer).click();
      kept.isPressed = 'yes';
      button.click();
    } else if (kept.isPressed === 'yes' && document.querySelector(next) && (isSecond || next !== ready)) {
      kept.nextMs = performance.timeOrigin + performance.now() - Number(kept.began);
      return;
    }
    requestAnimationFrame(look);
  };
  look();
}"""


class Screens(NamedTuple):
    """How to tell that a screen can be used, and how to go on from it."""

    ready: str
    """Selects what people press on the first screen."""
    next: str
    """Selects what people press on the second; a page that is loaded anew may use the same words for both."""
    answer: str = ""
    """Selects what has to be chosen before; empty where nothing has."""


class Load(NamedTuple):
    """One load of a page, in milliseconds from the click and bytes over the wire."""

    first_paint_ms: float
    first_content_ms: float
    blocked_ms: float
    """The sum of what tasks took beyond 50 ms each."""
    ready_ms: float
    """When the first screen can be used."""
    n_bytes: int
    """Heads and compressed bodies of all answers until then."""
    n_requests: int


class Slowness(NamedTuple):
    """A slow phone on a slow network, as Lighthouse imagines it."""

    latency_ms: float = 150.0
    down_kbit_s: float = 1600.0
    up_kbit_s: float = 750.0
    processor: float = 4.0


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Playwright's own Chromium, or the system's."""
    with sync_playwright() as playwright:
        paths = [playwright.chromium.executable_path, *_SYSTEM]
        path = next((candidate for candidate in paths if Path(candidate).exists()), None)
        if path is None:
            raise Unavailable("there is no Chromium here: install the system's, or run `playwright install chromium`")
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield browser
        browser.close()


def loaded(page: Page, address: str, ready: str, slowness: Slowness | None = None) -> Load:
    """Open an address, and wait until there is what `ready` selects."""
    page.goto("about:blank")  # the earlier page has left, and given the session back
    page.add_init_script(f"({_WATCH})({ready!r})")
    wire = page.context.new_cdp_session(page)
    sizes: list[float] = []

    def note(finished: dict[str, Any]) -> None:
        sizes.append(finished["encodedDataLength"])

    wire.on("Network.loadingFinished", note)
    wire.send("Network.enable")
    if slowness is not None:
        _slow_down(wire, slowness)
    page.goto(address)
    page.wait_for_selector(ready)
    page.wait_for_timeout(_SETTLE_MS)
    told = page.evaluate(_TOLD)
    wire.detach()
    return Load(
        first_paint_ms=told["first-paint"],
        first_content_ms=told["first-contentful-paint"],
        blocked_ms=told["blocked"],
        ready_ms=told["ready"],
        n_bytes=int(sum(sizes)),
        n_requests=sum(1 for size in sizes if size > 0),
    )


def pressed(page: Page, address: str, screens: Screens) -> float:
    """Open an address, press the first moment that the first screen can be used, and return when the second one can."""
    page.goto("about:blank")
    page.add_init_script(f"({_PRESS})({json.dumps(screens._asdict())})")
    page.goto(address)
    page.wait_for_function("() => sessionStorage.nextMs")
    return float(page.evaluate("sessionStorage.nextMs"))


def _slow_down(wire: Any, slowness: Slowness) -> None:
    conditions = {
        "offline": False,
        "latency": slowness.latency_ms,
        "downloadThroughput": slowness.down_kbit_s * 1000 / 8,
        "uploadThroughput": slowness.up_kbit_s * 1000 / 8,
    }
    wire.send("Network.emulateNetworkConditions", conditions)
    wire.send("Emulation.setCPUThrottlingRate", {"rate": slowness.processor})
