"""A simulated person who uses one page of the real player."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from math import ceil
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from understudy.conduct import Ended, Script, Session, Step, resume
from understudy.record import Log
from understudy.roles import Reaction
from understudy.schema import Json
from understudy.simulate import Actor
from understudy.workflow.browser.chromium import first_line, playwright_library
from understudy.workflow.browser.notes import RehearsalNotes

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request, Response

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
