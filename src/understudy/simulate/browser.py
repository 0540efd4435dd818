"""People in a browser: simulated people who use the real pages in Chromium."""

import asyncio
import os
import shutil
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from understudy.conduct import Ended, Script, Session, Step, resume
from understudy.errors import MissingExtra, UnderstudyError, optional
from understudy.record import Log
from understudy.roles import Reaction
from understudy.schema import Json, Record
from understudy.simulate import Actor

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response


ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
    # Playwright's own list: Chromium heeds only the last --disable-features it is given.
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying",
    "AimEnabled", "PreconnectToSearch",
    # A second process for each window, kept ready for an address that never comes.
    "SpareRendererForSitePerProcess",
)  # fmt: skip
"""Features of a browser that nobody sees here; the pages of the address bar take half the cost of a new window."""
FLAGS = (
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
    "--autoplay-policy=no-user-gesture-required", f"--disable-features={','.join(_UNUSED)}",
)  # fmt: skip
"""No requests to other servers, videos may start without a click, and windows open without extras."""


def playwright_library() -> Any:
    """Return the Playwright module, or raise an error with the command that installs it."""
    return optional("playwright.async_api", extra="browser")


def chromium_path(environment: Mapping[str, str], bundled: str) -> str:
    """Return the browser to start: UNDERSTUDY_CHROMIUM, Playwright's build, or the first one on PATH."""
    named = environment.get("UNDERSTUDY_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise MissingExtra(f"UNDERSTUDY_CHROMIUM names {named!r}, but there is no such file; correct or unset it.")
        return named
    if Path(bundled).is_file():
        return bundled
    candidates = (shutil.which(name, path=environment.get("PATH", "")) for name in ON_PATH)
    installed = next(filter(None, candidates), None)
    if installed is None:
        raise MissingExtra(
            "There is no Chromium to rehearse in: run `playwright install chromium`, or install Chromium so that it is "
            "on PATH (or name it in UNDERSTUDY_CHROMIUM)."
        )
    return installed


@asynccontextmanager
async def open_chromium(environment: Mapping[str, str], *, is_shown: bool) -> "AsyncIterator[Browser]":
    """Start the browser and close it at the end of the block."""
    library = playwright_library()
    async with library.async_playwright() as playwright:
        path = chromium_path(environment, playwright.chromium.executable_path)
        # Chromium cannot use its sandbox as root, as in a container.
        flags = [*FLAGS, "--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else list(FLAGS)
        try:
            browser = await playwright.chromium.launch(executable_path=path, headless=not is_shown, args=flags)
        except library.Error as error:
            hint = "; without --show it needs no screen" if is_shown else ""
            raise UnderstudyError(f"{path} did not start ({first_line(error)}){hint}.") from None
        try:
            yield browser
        finally:
            await browser.close()


def first_line(error: BaseException) -> str:
    """Return the first line of an error message, without a full stop."""
    return str(error).strip().partition("\n")[0].rstrip(".")


# What a rehearsal in the browser recorded: screens, times and faults.

FaultKind: TypeAlias = Literal["page error", "console error", "failed request", "stuck", "overflow"]
"""Kinds of page faults; all but an overflow block participants or lose data."""


class PageFault(Record):
    """A fault of a page, and how often it occurred."""

    kind: FaultKind
    block_id: str
    """The current block; empty before the first screen."""
    said: str
    n_times: int


class BlockShown(Record):
    """The screens of one block over all people, and the time from an answer to the next screen."""

    block_id: str
    task: str
    n_screens: int
    median_ms: float
    slowest_ms: float


class BrowserRehearsal(Record):
    """The result of a rehearsal in the browser, which is about pages and not about people."""

    study_name: str
    is_synthetic: Literal[True] = True
    seed: int
    width_px: int
    height_px: int
    n_people: int
    is_full: bool
    """Whether the study ran out of places."""
    outcomes: dict[str, int]
    n_screens: int
    blocks: tuple[BlockShown, ...]
    faults: tuple[PageFault, ...]

    @property
    def has_page_errors(self) -> bool:
        """Whether anything went wrong beyond the layout."""
        return any(fault.kind != "overflow" for fault in self.faults)


class _Block(NamedTuple):
    block_id: str
    task: str


class RehearsalNotes:
    """Collects screens and faults of all people, in order of first appearance."""

    def __init__(self) -> None:
        self._times: dict[_Block, list[float]] = {}
        self._faults: Counter[tuple[FaultKind, str, str]] = Counter()

    def screen(self, step: Step, took_ms: float) -> None:
        """Record a screen, and the time from its answer to the next screen."""
        block = _Block(step.visit.block.block_id, step.trial.task)
        self._times.setdefault(block, []).append(took_ms)

    def fault(self, kind: FaultKind, step: Step | None, message: str) -> None:
        """Record a fault at the current step."""
        self._faults[kind, step.visit.block.block_id if step else "", message] += 1

    @property
    def blocks(self) -> tuple[BlockShown, ...]:
        """The screens by block."""
        return tuple(
            BlockShown(
                block_id=block.block_id, task=block.task, n_screens=len(times), median_ms=round(median(times), 1),
                slowest_ms=round(max(times), 1),
            )
            for block, times in self._times.items()
        )  # fmt: skip

    @property
    def faults(self) -> tuple[PageFault, ...]:
        """The faults, most frequent first."""
        return tuple(
            PageFault(kind=kind, block_id=block_id, said=message, n_times=n)
            for (kind, block_id, message), n in self._faults.most_common()
        )


# A simulated person who uses one page of the real player.

PATIENCE_S = 30.0
"""A page without a new screen for this long is stuck, unless a video is playing."""
STRETCH_MS = 2500
"""Longest time without a mouse movement; the page counts longer pauses as absence."""
_CALLBACK = "understudyStandIn"
_ANNOUNCED = "understudyAnnounced"
_OVER = ".stage .message:not(.is-loading)"
_IS_VIDEO_PLAYING = "() => [...document.querySelectorAll('video')].some((video) => !video.paused && !video.ended)"
_VISIBLE_TEXT = """() => [...document.querySelectorAll('.stage h1, .stage .fault, .stage .summary, .stage .status')]
  .filter((element) => !element.hidden && element.innerText.trim()).map((element) => element.innerText.trim()).join(' / ')"""
LAYOUT_FAULT = """() => {
  const width = document.documentElement.clientWidth;
  const isOut = (box) => box.width > 1 && box.height > 1 && (box.right > width + 1 || box.left < -1);
  // What a frame cuts off, such as the rest of a picture around an enlarged region, is not wider than the window.
  const isCut = (element) => {
    for (let frame = element.parentElement; frame && frame.id !== 'player'; frame = frame.parentElement)
      if (['hidden', 'clip'].includes(getComputedStyle(frame).overflowX) && !isOut(frame.getBoundingClientRect())) return true;
    return false;
  };
  const out = [...document.querySelectorAll('#player *')]
    .find((element) => isOut(element.getBoundingClientRect()) && !isCut(element));
  const called = (element) => `${element.tagName.toLowerCase()}${element.className ? '.' + String(element.className).split(' ')[0] : ''}`;
  if (out || document.documentElement.scrollWidth > width) return `${out ? called(out) : 'page'} is wider than the window`;
  // A word that its frame cuts through: what lies wholly behind an edge can be scrolled to, half a word looks complete.
  const words = document.createTreeWalker(document.querySelector('#player') ?? document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const told = words.currentNode.data.trim();
    const owner = words.currentNode.parentElement;
    if (!told || !owner.checkVisibility({visibilityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(words.currentNode);
    let {left, right} = range.getBoundingClientRect();
    for (let frame = owner; frame && frame.id !== 'player'; frame = frame.parentElement) {
      const {overflowX, textOverflow, clipPath, borderRightWidth} = getComputedStyle(frame);
      if (clipPath !== 'none' || textOverflow === 'ellipsis') break;
      const edge = frame.getBoundingClientRect();
      // The outline of a word, as of a chip, belongs to it.
      if (overflowX === 'visible' && borderRightWidth !== '0px') [left, right] = [Math.min(left, edge.left), Math.max(right, edge.right)];
      const isThrough = (x) => left + 1 < x && x < right - 1;
      if (overflowX !== 'visible' && edge.width > 1 && (isThrough(edge.left) || isThrough(edge.right)))
        return `"${told.slice(0, 40)}" is cut off by ${called(frame)}`;
    }
  }
  // The points of a scale are one line or one column: in a square, nobody sees which comes after which.
  for (const scale of document.querySelectorAll('#player .points')) {
    const boxes = [...scale.children].map((point) => point.getBoundingClientRect()).filter((box) => box.width > 0);
    const n = (side) => new Set(boxes.map((box) => Math.round(box[side]))).size;
    if (n('left') > 1 && n('top') > 1) return `the points of "${scale.innerText.slice(0, 40)}" are not in one line`;
  }
  return null;
}"""
"""Says what does not fit on a page: what is wider than the window, a word that is cut off, a scale that is broken."""


class Screen(NamedTuple):
    """What a page shows: a step, or the announcement before it."""

    step: Step
    is_announcement: bool


Watch: TypeAlias = Callable[["Page", Screen], Awaitable[None]]
"""Looks at each screen before it is answered."""


class OpenSession(NamedTuple):
    """The session of a simulated person, with its study and log."""

    script: Script
    log: Log
    session_id: str


class BrowserParticipant:
    """Answers each screen as its actor does, leaves when the actor leaves, and records faults."""

    def __init__(self, session: OpenSession, actor: Actor, notes: RehearsalNotes, watch: Watch | None = None) -> None:
        self._session = session
        self._watch = watch
        self._actor = actor
        self._notes = notes
        self._step: Step | None = None
        self._answered_s = 0.0
        self._has_left = asyncio.Event()
        self._failure: Exception | None = None

    async def play(self, context: "BrowserContext", address: str) -> None:
        """Take part until the last screen, or until the person leaves or the page is stuck."""
        library = playwright_library()
        try:
            page = await context.new_page()
            self._listen(page)
            # Simulated response times must not take real time.
            await page.clock.install()
            await page.expose_function(_CALLBACK, lambda number, trial_id: self._answers(page, number, trial_id))
            await page.expose_function(_ANNOUNCED, lambda number: self._announced(page, number))
            await page.goto(address)
            await self._until_over(page)
            # Leaving the page makes it send what it still holds, as when a person closes the tab.
            self._has_left.set()
            await page.goto("about:blank")
        except library.Error as error:
            self._notes.fault("page error", self._step, f"The page was lost: {first_line(error)}")
        if self._failure is not None:
            raise self._failure

    async def _answers(self, page: "Page", number: int, trial_id: str) -> Json | None:
        try:
            self._close_screen()
            overflow = await page.evaluate(LAYOUT_FAULT)
            reaction = await asyncio.to_thread(self._reacted, number, trial_id)
            if overflow:
                self._notes.fault("overflow", self._step, overflow)
            if self._watch is not None and self._step is not None:
                await self._watch(page, Screen(self._step, is_announcement=False))
            if reaction is not None:
                await _pass_time(page, reaction.rt_ms)
        except Exception as error:
            # Raised here it would look like a page error; `play` raises it later.
            self._failure = error
            reaction = None
        if reaction is None:
            self._has_left.set()
        self._answered_s = time.monotonic()
        return None if reaction is None else reaction.response

    async def _announced(self, page: "Page", number: int) -> None:
        """Look at the announcement of a part."""
        overflow = await page.evaluate(LAYOUT_FAULT)
        step = (await asyncio.to_thread(self._resumed)).next
        if isinstance(step, Ended) or step.number != number:
            raise AssertionError(f"the page announces step {number}, but the log is at {step}")
        if overflow:
            self._notes.fault("overflow", step, overflow)
        if self._watch is not None:
            await self._watch(page, Screen(step, is_announcement=True))

    def _resumed(self) -> Session:
        return resume(self._session.script, self._session.log.session(self._session.session_id)).session

    def _reacted(self, number: int, trial_id: str) -> Reaction | None:
        """Return the reaction to the current step of the log: the server stores an answer before it names the next step."""
        session = self._resumed()
        step = session.next
        if isinstance(step, Ended) or (step.number, step.trial.trial_id) != (number, trial_id):
            raise AssertionError(f"the page shows step {number} ({trial_id}), but the log is at {step}")
        self._step = step
        return self._actor.reaction_to(step, n_seen=session.n_seen(step.trial.task))

    def _close_screen(self) -> None:
        if self._step is not None:
            self._notes.screen(self._step, 1000 * (time.monotonic() - self._answered_s))

    async def _until_over(self, page: "Page") -> None:
        over = asyncio.ensure_future(page.wait_for_selector(_OVER, timeout=0))
        left = asyncio.ensure_future(self._has_left.wait())
        try:
            while True:
                step = self._step
                done, _ = await asyncio.wait({over, left}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
                if done:
                    break
                if self._step is step and not await page.evaluate(_IS_VIDEO_PLAYING):
                    messages = await page.evaluate(_VISIBLE_TEXT)
                    self._notes.fault(
                        "stuck", self._step, f"The page did not continue. It says: {messages or 'nothing'}"
                    )
                    return
            self._close_screen()
            if over in done and await over and not await asyncio.to_thread(self._is_ended):
                messages = await page.evaluate(_VISIBLE_TEXT)
                self._notes.fault("stuck", self._step, f"The page ended before the session. It says: {messages}")
        finally:
            over.cancel()
            left.cancel()
            await asyncio.gather(over, left, return_exceptions=True)

    def _is_ended(self) -> bool:
        return self._resumed().outcome is not None

    def _listen(self, page: "Page") -> None:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._notes.fault("page error", self._step, first_line(error)))
        page.on("requestfailed", self._on_request_failed)
        page.on("response", self._on_response)

    def _on_console(self, message: "ConsoleMessage") -> None:
        # The browser also logs failed requests here; they are counted by their own handler.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._notes.fault("console error", self._step, message.text.partition("\n")[0])

    def _on_request_failed(self, request: "Request") -> None:
        # Leaving a page or removing a video aborts its requests, which is not a fault.
        if not self._has_left.is_set() and request.failure != "net::ERR_ABORTED":
            self._notes.fault("failed request", self._step, f"{_request_text(request)}: {request.failure}")

    def _on_response(self, response: "Response") -> None:
        if response.status >= 400:
            self._notes.fault(
                "failed request", self._step, f"{_request_text(response.request)}: status {response.status}"
            )


async def _pass_time(page: "Page", rt_ms: float) -> None:
    """Advance the page's clock by the response time, moving the mouse before the page counts the person as idle."""
    for turn in range(ceil(rt_ms / STRETCH_MS)):
        await page.clock.fast_forward(ceil(min(rt_ms - turn * STRETCH_MS, STRETCH_MS)))
        await page.mouse.move(5 + turn % 2, 5)


def _request_text(request: "Request") -> str:
    path = request.url.partition("://")[2].partition("/")[2].partition("?")[0]
    return f"{request.method} /{path}"
