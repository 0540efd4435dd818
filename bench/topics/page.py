"""Page loads: from a participant's click to the first screen, in Chromium through the real server, beside oTree."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import NamedTuple, TypeVar

from playwright.sync_api import Browser, Page

from browser import Load, Screens, Slowness, chromium, loaded, pressed
from crowds import otree_server, our_server
from load.otree import new_people
from load.ours import STUDY
from measured import Bench, Peer, Row, Timing
from otree_peer import VERSION
from peer_folder import NoPeer

SEED, N_LOADS = 0, 5
_KILO = 1000
Measured = TypeVar("Measured")


OURS = Screens(".stage .card:not(.is-loading) .primary", ".stage[data-task=judge] .card .primary")
THEIRS = Screens(".otree-btn-next", ".otree-btn-next", answer="input[name=guess]")


class Visits(NamedTuple):
    """What one way of coming cost, load by load."""

    loads: list[Load]
    next_ms: list[float]
    """When the second screen could be used, where people press the first one at once; empty where nobody did."""


class Visit(NamedTuple):
    """How somebody comes."""

    words: str
    is_first: bool = True
    slowness: Slowness | None = None

    @property
    def is_pressed(self) -> bool:
        """Whether the second screen is timed too: where nothing is cached and nothing slowed down."""
        return self.is_first and self.slowness is None


VISITS = (
    Visit("first visit"),
    Visit("second visit, from the cache", is_first=False),
    Visit("first visit, slow phone and network", slowness=Slowness()),
)


def first_screen(visit: Visit, is_quick: bool) -> Row:
    """Measure one way of coming."""
    n_loads = 3 if is_quick else N_LOADS
    with chromium() as browser:
        version = browser.version
        ours = _ours(browser, visit, n_loads)
        peer = Peer("oTree", VERSION, None)
        try:
            theirs = _theirs(browser, visit, n_loads)
            peer = peer._replace(seconds=min(load.ready_ms for load in theirs.loads) / 1000, note=_words(theirs))
        except NoPeer as error:
            peer = peer._replace(note=f"peer not available: {error}")
    ready_s = [load.ready_ms / 1000 for load in ours.loads]
    return Row(
        what=f"First screen of a study, {visit.words}",
        n=n_loads,
        seed=SEED,
        ours=Timing(min(ready_s), max(ready_s), n_loads, "wall"),
        peer=peer,
        method=f"Chromium {version}, which shares the cores with the server. From the click until the first screen can "
        f"be used; medians of {n_loads} loads, each by a person of their own. {_slow_words(visit)}{_pressed_words(visit)}"
        "Blocking time counts what tasks took beyond 50 ms each. Bytes are those over the wire, heads included.",
        reads=_words(ours),
        target="<= 300 kB compressed" if visit.is_first else "from the cache",
    )


def _ours(browser: Browser, visit: Visit, n_loads: int) -> Visits:
    with our_server() as running:
        base = f"http://{running.address}/s/{STUDY}?PROLIFIC_PID=person"
        return _visits(browser, visit, [f"{base}-{k}" for k in range(2 * n_loads + 1)], OURS)


def _theirs(browser: Browser, visit: Visit, n_loads: int) -> Visits:
    with otree_server() as running:
        with ThreadPoolExecutor(1) as thread:  # the browser's driver has a loop in this one
            codes = thread.submit(asyncio.run, new_people(running.address, 2 * n_loads + 1)).result()
        base = f"http://{running.address}/InitializeParticipant"
        return _visits(browser, visit, [f"{base}/{code.split()[0]}" for code in codes], THEIRS)


def _visits(browser: Browser, visit: Visit, addresses: Sequence[str], screens: Screens) -> Visits:
    """Load half of the addresses, of which the first only warms up, and press at once on the others."""
    n_loads = len(addresses) // 2
    loads = [_visited(browser, partial(_load, visit, address, screens)) for address in addresses[: n_loads + 1]]
    if not visit.is_pressed:
        return Visits(loads[1:], [])
    others = addresses[n_loads + 1 :]
    return Visits(loads[1:], [_visited(browser, partial(_press, address, screens)) for address in others])


def _visited(browser: Browser, come: Callable[[Page], Measured]) -> Measured:
    """Come with a browser that knows nothing."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    found = come(context.new_page())
    context.close()
    return found


def _load(visit: Visit, address: str, screens: Screens, page: Page) -> Load:
    if not visit.is_first:
        loaded(page, address, screens.ready, visit.slowness)
    return loaded(page, address, screens.ready, visit.slowness)


def _press(address: str, screens: Screens, page: Page) -> float:
    return pressed(page, address, screens)


def _words(visits: Visits) -> str:
    middle = Load(*(median(values) for values in zip(*visits.loads, strict=True)))
    pressing = f"; pressed at once, the second screen after {median(visits.next_ms):.0f} ms" if visits.next_ms else ""
    return (
        f"{middle.n_bytes / _KILO:,.1f} kB in {middle.n_requests:.0f} answers; first paint {middle.first_paint_ms:.0f} ms, "
        f"first contentful paint {middle.first_content_ms:.0f} ms, blocking {middle.blocked_ms:.0f} ms, usable after "
        f"{middle.ready_ms:.0f} ms{pressing}"
    )


def _pressed_words(visit: Visit) -> str:
    return (
        "As many others press the first moment that they can, and wait for the second screen. "
        if visit.is_pressed
        else ""
    )


def _slow_words(visit: Visit) -> str:
    slow = visit.slowness
    if slow is None:
        return ""
    return (
        f"{slow.latency_ms:g} ms latency, {slow.down_kbit_s / _KILO:g} Mbit/s down, processor slowed {slow.processor:g} "
        "times. "
    )


ROWS = tuple(Bench(visit.words, partial(first_screen, visit)) for visit in VISITS)
