"""Walker: somebody who answers whatever a page asks and goes on."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

WORDS = "I compared income and open loans first, and looked at the rest when they disagreed."


class Walker:
    """A participant at one page, who takes `pace_ms` for each screen: the server believes no clock but its own."""

    def __init__(self, page: "Page", *, pace_ms: int = 0) -> None:
        self.page = page
        self._pace_ms = pace_ms
        self._n_screens = 0

    async def arrive(self, address: str) -> None:
        """Open the study and wait for its first screen."""
        await self.page.goto(address)
        await self.shown()

    async def shown(self) -> str:
        """Wait for a screen and name its task; `end` where there is none."""
        await self.page.wait_for_selector(".stage .card:not(.is-loading) h1")
        while await self.page.locator(".stage .announcement").count():
            await self.page.click(".announcement .primary")
            await self.page.wait_for_selector(".stage .card:not(.is-loading):not(.announcement) h1")
        told = "document.querySelector('.stage .message') ? 'end' : document.querySelector('.stage').dataset.task"
        return str(await self.page.evaluate(told))

    async def go_on(self, button: str = ".card .primary") -> None:
        """Press the button that continues and wait for the next screen."""
        if self._pace_ms:
            await self.page.wait_for_timeout(self._pace_ms)
        self._n_screens += 1
        await self.page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
        await self.page.click(button)
        await self.page.wait_for_selector(".stage:not(:has(.card[data-mark=old])), .answer-feedback .primary")
        await self.leave_feedback()

    async def leave_feedback(self) -> None:
        """Go on from the verdict on an answer, where the page tells one."""
        if await self.page.locator(".answer-feedback").count():
            await self.page.click(".answer-feedback .primary")
        await self.page.wait_for_selector(".card[data-mark=old]", state="detached")
        await self.shown()

    async def choose(self, option: str) -> None:
        """Tick an option."""
        await (
            self.page.locator(".option").filter(has_text=re.compile(f"^{re.escape(option)}$")).locator("input").check()
        )

    async def answer(self) -> None:
        """Answer every question of the screen, and watch its film."""
        if await self.page.locator("video").count():
            await self.page.eval_on_selector("video", "film => { film.muted = true; return film.play(); }")
            await self.page.eval_on_selector(
                "video", "film => film.ended || new Promise(done => film.onended = () => done())"
            )
        for question in await self.page.locator(".stage .question").all():
            await _answered(question, self._n_screens)

    async def walk(self, *, until: str = "end", at_most: int = 100) -> None:
        """Answer and go on until a task comes, or for so many screens."""
        for _ in range(at_most):
            if await self.shown() == until:
                return
            if await self.page.locator("[data-question=who]").count():
                await self.choose("The model's")
            else:
                await self.answer()
            await self.go_on()


async def _answered(question: "Locator", turn: int) -> None:
    if await question.locator(".ranking").count():
        await question.locator(".ranking .arrow:not(:disabled)").nth(2).click()
    elif await question.locator("textarea").count():
        await question.locator("textarea").fill(WORDS)
    elif await question.locator(".row").count():
        for number, row in enumerate(await question.locator(".row").all()):
            await _placed(row, number)
    elif await question.locator("input[type=checkbox]").count():
        for number in (0, 3):
            await question.locator("input").nth(number).check()
    elif await question.locator(".option").count():
        await question.locator(".option input").nth(turn % 2).check()
    elif await question.locator("input.entry").count():
        await question.locator("input.entry").fill("34")
    else:
        await _placed(question, 2)


async def _placed(scale: "Locator", number: int) -> None:
    """Set one scale, points or track, to a place that depends on its number."""
    if await scale.locator("input[type=range]").count():
        low, high = [
            float(str(await scale.locator("input[type=range]").get_attribute(end) or 0)) for end in ("min", "max")
        ]
        share = (0.7, 0.1, 0.4, 0.8, 0.6, 0.2)[number % 6]
        await scale.locator("input[type=range]").fill(f"{round(low + share * (high - low))}")
    else:
        n_points = await scale.locator(".point").count()
        await scale.locator(".point").nth((3, 1, 2)[number % 3] % n_points).click()
