"""A participant without a mouse: Tab, Space, arrows and Enter, nothing else."""

from playwright.sync_api import Page

from tests.journeys.player_hands import Hands

MOST_TABS = 80


class Keys(Hands):
    """Answers everything by keyboard alone."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.keys = page.keyboard

    def tab_to(self, selector: str) -> None:
        """Press Tab until the focus is where it should be."""
        for _ in range(MOST_TABS):
            if self.page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
            self.keys.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by keyboard.")

    def go_on(self) -> None:
        """Press Enter on the way on."""
        self.page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
        self.tab_to(".card .primary")
        self.keys.press("Enter")
        self.leave_feedback()

    def answer(self) -> None:
        """Answer all that the page asks."""
        if self.task() == "video":
            self.tab_to("video")
            self.keys.press("Space")
            self.page.eval_on_selector(
                "video", "film => film.ended || new Promise(done => film.onended = () => done())"
            )
            return
        super().answer()

    def choose(self, option: str) -> None:
        """Walk to an option with the arrows."""
        kind = self.option(option).locator("input").get_attribute("type")
        if kind == "checkbox":
            self.tab_to(f"input[type=checkbox][value={option!r}]")
            self.keys.press("Space")
            return
        name = self.option(option).locator("input").get_attribute("name")
        self.tab_to(f"input[name={name}]")
        self.keys.press("Space")
        while self.page.evaluate("document.activeElement.value") != option:
            self.keys.press("ArrowDown")

    def point(self, question: str, value: int) -> None:
        """Walk along a scale with the arrows."""
        self.tab_to(f"[data-question={question}] .point input")
        self.keys.press("Space")
        for _ in range(value - 1):
            self.keys.press("ArrowRight")

    def afterwards(self) -> None:
        """Fill in the long questionnaire."""
        self.point("difficulty", 3)
        for row in (1, 2, 3):
            self.tab_to(f"[data-question=load] .row:nth-child({row}) input")
            self.keys.press("ArrowRight")
        for row in (1, 2):
            self.tab_to(f"[data-question=trust] .row:nth-child({row}) .point input")
            self.keys.press("Space")
        self.tab_to("[data-question=share] input")
        self.keys.press("Enter")
        self.choose("Savings")
        self.tab_to("[data-question=order] .arrow")
        self.keys.press("Enter")
        self.tab_to("[data-question=why] textarea")
        self.keys.type("I looked at income before anything else.")
