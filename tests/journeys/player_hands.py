"""Hands that use the player as a person would: read the heading, answer, go on."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

RIGHT = "The model's"
# What a page shows is asked in one question where it can be: every question crosses three processes.
_READY = ".stage .card:not(.is-loading) h1"
_TASK = """() => document.querySelector('.stage .announcement') ? 'announcement'
  : document.querySelector('.stage .message:not(.is-loading)') ? 'end' : document.querySelector('.stage').dataset.task"""
_VERDICT = "() => document.querySelector('.answer-feedback .notice')?.innerText ?? null"
_WAYS_ON = "() => [...document.querySelectorAll('.stage .actions')].filter((part) => part.checkVisibility()).length"


class Hands:
    """A participant at one page; `n_wrong` says how often the check question is answered wrongly first."""

    def __init__(self, page: Page, *, n_wrong: int = 1) -> None:
        self.page = page
        self.n_wrong = n_wrong
        self.seen: list[str] = []
        self.verdicts: list[str] = []

    def task(self) -> str:
        """Name the task on the screen; `end` when there is none any more."""
        self.page.locator(_READY).first.wait_for()
        while (told := str(self.page.evaluate(_TASK))) == "announcement":
            self.page.click(".announcement .primary")
            self.page.locator(".stage .card:not(.is-loading):not(.announcement) h1").first.wait_for()
        return told

    def heading(self) -> str:
        """Read the heading."""
        return self.page.inner_text(".stage h1")

    def go_on(self) -> None:
        """Press the way on and wait until the page has changed."""
        self.page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
        self.page.click(".card .primary")
        self.leave_feedback()

    def leave_feedback(self) -> None:
        """Wait until the page has changed; where it tells whether the answer was right, go on from there."""
        self.page.locator(".stage:not(:has(.card[data-mark=old])), .answer-feedback .primary").first.wait_for()
        verdict = self.page.evaluate(_VERDICT)
        if verdict is not None:
            self.verdicts.append(str(verdict))
            # The button that sent the answer, and "Saving ..." next to it, are gone.
            assert self.page.evaluate(_WAYS_ON) == 1
            self.page.click(".answer-feedback .primary")
            self.page.locator(".card[data-mark=old]").wait_for(state="detached")

    def answer(self) -> None:
        """Answer all that the page asks."""
        task = self.task()
        if task == "video":
            self.page.eval_on_selector("video", "film => film.play()")
            self.page.eval_on_selector(
                "video", "film => film.ended || new Promise(done => film.onended = () => done())"
            )
        elif task == "questionnaire" and self.page.locator("[data-question=who]").count():
            wrong = self.n_wrong > 0
            self.n_wrong -= 1
            self.choose("My own" if wrong else RIGHT)
        elif task == "questionnaire":
            self.afterwards()
        elif task == "judge" and self.page.locator("[data-question=prediction]").count():
            self.choose("repaid")
            self.point("confidence", 4)

    def afterwards(self) -> None:
        """Fill in the long questionnaire."""
        self.point("difficulty", 3)
        for track in self.page.locator("[data-question=load] input[type=range]").all():
            track.press("ArrowRight")
        for row in self.page.locator("[data-question=trust] .row").all():
            row.locator(".point").nth(3).click()
        self.page.locator("[data-question=share] input").press("ArrowRight")
        self.choose("Savings")
        self.page.locator("[data-question=order] .keep").click()
        self.page.fill("[data-question=why] textarea", "I looked at income before anything else.")

    def choose(self, option: str) -> None:
        """Tick an option; one that is ticked already stays so."""
        self.option(option).locator("input").check()

    def option(self, option: str) -> Locator:
        """Find an option by its words."""
        return self.page.locator(".option").filter(has_text=re.compile(f"^{re.escape(option)}$"))

    def point(self, question: str, value: int) -> None:
        """Click a point of a scale."""
        self.page.locator(f"[data-question={question}] .point").nth(value - 1).click()

    def play(self, on_screen: Callable[[str], None] = lambda _: None, *, until: str = "end") -> None:
        """Go through the study; `on_screen` is called with the task of every page before it is answered."""
        while (task := self.task()) != until:
            # Without this, a page that says what went wrong would be asked to go on for ever.
            assert task != "end", f"the study ended before {until!r}: {self.heading()}"
            self.seen.append(task)
            on_screen(task)
            self.answer()
            self.go_on()
        expect(self.page.locator(".stage h1")).to_be_visible()
