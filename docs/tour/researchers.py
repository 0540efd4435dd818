"""The researchers' part of the tour: the demo's landing page, the dashboard and the report."""

import re
from typing import TYPE_CHECKING, Literal

from tour.participants import Tour
from tour.servers import ADMIN_TOKEN
from tour.walker import Walker

if TYPE_CHECKING:
    from playwright.async_api import Page

_LONG_MS = 180_000
_PEOPLE = (0, 100, 6)
"""How far people come in the demo, in screens: one declines, one finishes, one is under way."""
_PACE_MS = 2_300


async def landing(tour: Tour) -> None:
    """Photograph the three doors once the first simulated people have finished."""
    for name, scheme in _schemes("landing"):
        async with tour.somebody("/", scheme=scheme) as walker:
            await walker.page.wait_for_function(
                "() => /[1-9][0-9] of/.test(document.querySelector('.filling').textContent)", timeout=_LONG_MS
            )
            await tour.album.take(walker.page, name)


async def people_come(tour: Tour) -> None:
    """Let a few people take part in the demo's run for people."""
    for n_screens in _PEOPLE:
        async with tour.visit() as context:
            page = await context.new_page()
            walker = Walker(page, pace_ms=_PACE_MS)
            await walker.arrive(f"{tour.address}/s/loan-demo")
            if n_screens == 0:
                await walker.go_on(".card .actions .button:not(.primary)")
            await walker.walk(at_most=n_screens)


async def desk(tour: Tour) -> None:
    """Photograph the dashboard."""
    for name, scheme in _schemes("studies"):
        async with tour.somebody("/demo/dashboard", scheme=scheme) as walker:
            await walker.page.wait_for_selector(".flow")
            await _blurred(walker.page)
            await tour.album.take(walker.page, name)
    async with tour.somebody("/demo/dashboard") as walker:
        page = walker.page
        await page.locator("[data-study=loan-demo]").scroll_into_view_if_needed()
        await page.locator("[data-study=loan-demo]").evaluate("one => one.scrollIntoView()")
        await tour.album.take(page, "study-people")
        await page.locator("[data-study=loan-demo-rehearsal]").get_by_role("link", name="Sessions").click()
        await page.get_by_label("Outcome").select_option("completed")
        await page.wait_for_function("() => document.querySelectorAll('.sessions tbody tr').length > 5")
        await tour.album.take(page, "sessions")
    for name, scheme in _schemes("replay"):
        async with tour.somebody("/demo/dashboard", scheme=scheme) as walker:
            await _replay(tour, walker, name)


async def door(tour: Tour) -> None:
    """Photograph the sign-in page of a server that is no demo."""
    async with tour.somebody("/admin") as walker:
        await walker.page.get_by_label("Admin token").fill(ADMIN_TOKEN[:-3])
        await walker.page.get_by_role("button", name="Sign in").click()
        await walker.page.wait_for_function("() => document.querySelector('.fault').textContent !== ''")
        await tour.album.take(walker.page, "sign-in")


async def report(tour: Tour) -> None:
    """Photograph the top of the report of the simulated people."""
    async with tour.somebody("/demo/report") as walker:
        await walker.page.wait_for_selector("text=SYNTHETIC DATA", timeout=_LONG_MS)
        await tour.album.take(walker.page, "report")


async def _replay(tour: Tour, walker: Walker, name: str) -> None:
    page = walker.page
    await page.locator("[data-study=loan-demo]").get_by_role("link", name="Sessions").click()
    await page.get_by_label("Outcome").select_option("completed")
    row = page.locator(".sessions tbody tr", has=page.locator(".is-completed"))
    await row.get_by_role("link", name=re.compile("^Replay of")).first.click()
    await page.get_by_role("button", name=re.compile("^predict 2")).click()
    while not await page.locator(".answered.is-given").count():
        await page.get_by_role("button", name="One event on").click()
    await page.wait_for_function("() => document.querySelector('.agreement').textContent !== ''")
    await _blurred(page)
    await tour.album.take(page, name)
    if name == "replay":
        await page.get_by_role("button", name="Exclude…").click()
        await page.get_by_label("Reason").fill("Wrote to us that a friend answered half of it.")
        await tour.album.take(page, "exclude")


async def _blurred(page: "Page") -> None:
    await page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")


def _schemes(name: str) -> list[tuple[str, Literal["light", "dark"]]]:
    return [(name, "light"), (f"{name}-dark", "dark")]
