"""Page loads: from a participant's click to the first screen, in Chromium through the real server, beside oTree."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser

from browser import Load, Slowness, chromium, loaded
from crowds import otree_server, our_server
from load.otree import new_people
from load.ours import STUDY
from measured import Bench, Peer, Row, Timing
from otree_peer import VERSION
from peer_folder import NoPeer

SEED, N_LOADS = 0, 5
_KILO = 1000


class Visit(NamedTuple):
    """How somebody comes."""

    words: str
    is_first: bool = True
    slowness: Slowness | None = None


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
            peer = peer._replace(seconds=min(load.ready_ms for load in theirs) / 1000, note=_words(theirs))
        except NoPeer as error:
            peer = peer._replace(note=f"peer not available: {error}")
    ready_s = [load.ready_ms / 1000 for load in ours]
    return Row(
        what=f"First screen of a study, {visit.words}",
        n=n_loads,
        seed=SEED,
        ours=Timing(min(ready_s), max(ready_s), n_loads, "wall"),
        peer=peer,
        method=f"Chromium {version}, which shares the cores with the server. From the click until the first screen can "
        f"be used; medians of {n_loads} loads, each by a person of their own. {_slow_words(visit)}"
        "Blocking time counts what tasks took beyond 50 ms each. Bytes are those over the wire, heads included.",
        reads=_words(ours),
        target="<= 300 kB compressed" if visit.is_first else "from the cache",
    )


def _ours(browser: Browser, visit: Visit, n_loads: int) -> list[Load]:
    with our_server() as running:
        base = f"http://{running.address}/s/{STUDY}?PROLIFIC_PID=person"
        return _loads(
            browser, visit, [f"{base}-{k}" for k in range(n_loads + 1)], ".stage .card:not(.is-loading) .primary"
        )


def _theirs(browser: Browser, visit: Visit, n_loads: int) -> list[Load]:
    with otree_server() as running:
        with ThreadPoolExecutor(1) as thread:  # the browser's driver has a loop in this one
            codes = thread.submit(asyncio.run, new_people(running.address, n_loads + 1)).result()
        base = f"http://{running.address}/InitializeParticipant"
        return _loads(browser, visit, [f"{base}/{code.split()[0]}" for code in codes], ".otree-btn-next")


def _loads(browser: Browser, visit: Visit, addresses: Sequence[str], ready: str) -> list[Load]:
    """Load each address in a browser that knows nothing, or that was there before; the first only warms up."""
    found = []
    for address in addresses:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        come: Callable[[], Load] = partial(loaded, context.new_page(), address, ready, visit.slowness)
        if not visit.is_first:
            come()
        found.append(come())
        context.close()
    return found[1:]


def _words(loads: Sequence[Load]) -> str:
    middle = Load(*(median(values) for values in zip(*loads, strict=True)))
    return (
        f"{middle.n_bytes / _KILO:,.1f} kB in {middle.n_requests:.0f} answers; first paint {middle.first_paint_ms:.0f} ms, "
        f"first contentful paint {middle.first_content_ms:.0f} ms, blocking {middle.blocked_ms:.0f} ms, usable after "
        f"{middle.ready_ms:.0f} ms"
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
