"""The participants' part of the tour: every screen from the invitation to the code, and what can come between."""

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tour.album import Album
from tour.showcase import KINDS, RIGHT, WRONG
from tour.walker import Walker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, BrowserContext

WINDOW = {"width": 1024, "height": 640}
SMALL = {"width": 860, "height": 560}


class Tour(NamedTuple):
    """What every part of the tour needs."""

    browser: "Browser"
    album: Album
    address: str
    """Of the server, without a path."""

    @asynccontextmanager
    async def visit(self, *, scheme: Literal["light", "dark"] = "light") -> "AsyncIterator[BrowserContext]":
        """Open a browser of somebody who was never here."""
        size: Any = WINDOW
        context = await self.browser.new_context(
            viewport=size, color_scheme=scheme, reduced_motion="reduce", locale="en-GB"
        )
        context.set_default_timeout(30_000)
        yield context
        await context.close()

    @asynccontextmanager
    async def somebody(self, path: str, *, scheme: Literal["light", "dark"] = "light") -> "AsyncIterator[Walker]":
        """Open a study, or another page of the server, for somebody new."""
        async with self.visit(scheme=scheme) as context:
            walker = Walker(await context.new_page())
            await walker.page.goto(self.address + path)
            yield walker


async def whole_way(tour: Tour) -> None:
    """Go from consent to the completion code and photograph every screen on the way."""
    async with tour.somebody("/s/showcase") as walker:
        await _coming_in(tour, walker)
        await _at_the_task(tour, walker)
        await _asked(tour, walker)
        for name in ("result", "debrief", "thank-you"):
            await tour.album.take(walker.page, name)
            if name != "thank-you":
                await walker.go_on()


async def _coming_in(tour: Tour, walker: Walker) -> None:
    page, take = walker.page, tour.album.take
    await walker.shown()
    await take(page, "consent")
    await walker.go_on()
    small: Any = SMALL
    await page.set_viewport_size(small)
    await take(page, "device-small")
    large: Any = WINDOW
    await page.set_viewport_size(large)
    await take(page, "device-fine")
    await walker.go_on()
    await page.wait_for_function("() => document.querySelector('video').readyState >= 4")
    await take(page, "film")
    await walker.answer()
    await walker.go_on()
    await take(page, "instructions")
    await page.click(".card .primary")
    await walker.go_on()
    await take(page, "comprehension")
    await walker.choose(WRONG)
    await walker.go_on()
    await page.click(".card .primary")
    await walker.go_on()
    await take(page, "comprehension-again")
    await walker.choose(RIGHT)
    await walker.go_on()


async def _at_the_task(tour: Tour, walker: Walker) -> None:
    page, take = walker.page, tour.album.take
    await take(page, "practice")
    await walker.answer()
    await page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
    await page.click(".card .primary")
    await page.wait_for_selector(".answer-feedback .primary")
    await take(page, "practice-feedback")
    await walker.leave_feedback()
    await walker.answer()
    await walker.go_on()
    await take(page, "learning")
    await walker.go_on()
    await walker.go_on()
    await take(page, "predict")
    await page.click(".card .primary")
    await take(page, "unanswered")
    await page.click(".tools > .button >> nth=0")
    await take(page, "show-again")
    await page.click("dialog .primary")
    for _ in range(2):
        await walker.answer()
        await walker.go_on()


async def _asked(tour: Tour, walker: Walker) -> None:
    for name in [*(kind.replace("_", "-") for kind in KINDS), "ease", "workload", "about-you"]:
        await walker.answer()
        await walker.page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
        await tour.album.take(walker.page, name)
        await walker.go_on()


async def other_ends(tour: Tour) -> None:
    """Photograph the ways out: declining, failing the check, stopping, erasing."""
    async with tour.somebody("/s/showcase") as walker:
        await walker.shown()
        await walker.go_on(".card .actions .button:not(.primary)")
        await tour.album.take(walker.page, "declined")
    async with tour.somebody("/s/showcase") as walker:
        await walker.walk(until="questionnaire")
        for _ in range(2):
            await walker.walk(until="questionnaire")
            await walker.choose(WRONG)
            await walker.go_on()
        await tour.album.take(walker.page, "screened-out")
    for name, button in (("stopped", ".button:not(.primary, .danger)"), ("erased", ".danger")):
        async with tour.somebody("/s/showcase") as walker:
            await walker.walk(at_most=2)
            await walker.page.click(".tools .button:visible >> nth=-1")
            if name == "erased":
                await tour.album.take(walker.page, "withdraw")
            await walker.page.click(f"dialog {button}")
            if name == "erased":
                # Erasing is asked twice.
                await walker.page.click(f"dialog {button}")
            await walker.page.wait_for_selector(".stage .message")
            await tour.album.take(walker.page, name)


async def other_lights(tour: Tour) -> None:
    """Photograph some screens in the dark and in the second language."""
    async with tour.somebody("/s/showcase", scheme="dark") as walker:
        await walker.shown()
        await tour.album.take(walker.page, "consent-dark")
        await walker.walk(until="judge")
        while (
            await walker.page.locator("[data-question=prediction]").count() == 0
            or await walker.page.locator(".aside:visible").count()
        ):
            await walker.answer()
            await walker.go_on()
        await walker.answer()
        await tour.album.take(walker.page, "predict-dark")
    async with tour.somebody("/s/showcase-de") as walker:
        await walker.shown()
        await tour.album.take(walker.page, "consent-german")
        await walker.page.click(".tools .button:visible")
        await tour.album.take(walker.page, "withdraw-german")


async def obstacles(tour: Tour) -> None:
    """Photograph what people see when something is in the way."""
    async with tour.visit() as context:
        for number in range(2):
            start = {"recruiter": {"PROLIFIC_PID": f"early-{number}"}, "language": "en", "preview": False}
            await context.request.post(f"{tour.address}/api/s/showcase-full/start", data=start)
    for name, path in (
        ("full", "/s/showcase-full"),
        ("not-found", "/s/no-such-study"),
        ("preview", "/s/showcase?preview"),
    ):
        async with tour.somebody(path) as walker:
            await walker.page.wait_for_selector(".card:not(.is-loading) h1")
            await tour.album.take(walker.page, name)
    async with tour.visit() as context:
        page = await context.new_page()
        await page.route("**/start", lambda route: route.abort())
        await page.goto(f"{tour.address}/s/showcase")
        await page.wait_for_selector(".card .primary")
        await tour.album.take(page, "error")
    await _second_tab(tour)
    await _slow_lines(tour)


async def _second_tab(tour: Tour) -> None:
    async with tour.somebody("/s/showcase") as walker:
        await walker.walk(at_most=2)
        other = await walker.page.context.new_page()
        await other.goto(f"{tour.address}/s/showcase")
        await other.wait_for_selector(".message .primary")
        await tour.album.take(other, "second-tab")
        await other.click(".message .primary")
        await other.wait_for_selector(".stage .card:not(.message)")
        await walker.page.bring_to_front()
        await walker.page.wait_for_selector(".message .primary")
        await tour.album.take(walker.page, "moved")


async def _slow_lines(tour: Tour) -> None:
    async with tour.visit() as context:
        walker = Walker(await context.new_page())
        # Whoever never answers a request is a slow line.
        await walker.page.route("**/m/**/*.png", lambda _: None)
        await walker.arrive(f"{tour.address}/s/showcase")
        await walker.walk(until="video")
        await walker.answer()
        await walker.page.click(".card .primary")
        await walker.page.wait_for_selector(".loading .bar-line")
        await tour.album.take(walker.page, "loading")
    async with tour.visit() as context:
        walker = Walker(await context.new_page())
        await walker.page.route("**/m/**/*.webm", lambda route: route.abort())
        await walker.arrive(f"{tour.address}/s/showcase")
        await walker.walk(until="video")
        await walker.page.wait_for_selector(".fault:visible")
        await tour.album.take(walker.page, "film-failed")
    async with tour.somebody("/s/showcase") as walker:
        await walker.walk(until="questionnaire")
        await walker.choose(RIGHT)
        await walker.page.context.set_offline(True)
        await walker.page.click(".card .primary")
        await walker.page.wait_for_selector(".banner:visible")
        await walker.page.wait_for_function("() => document.querySelector('.status').textContent !== ''")
        await tour.album.take(walker.page, "offline")
        await walker.page.context.set_offline(False)
