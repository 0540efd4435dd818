"""One person of each arm of a simulation study with sentences: readable, reachable by keys, and nothing given away."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import Stage, served
from tests.journeys.test_player_access import violations
from understudy.protocols import hase2020_text
from understudy.protocols.hase2020.lessons import LESSONS, screening_key
from understudy.schema import Block, Loop, ResponseGiven, SessionStarted, Study
from understudy.schema import Stage as StageBlock

SMALLEST: Any = {"width": 1024, "height": 640}
VIEWS = {
    "lime": {".token-attribution"},
    "anchor": {".rule"},
    "prototype": {".similar-case"},
    "decision_boundary": {".path"},
    "composite": {".several", ".token-attribution", ".rule", ".path", ".similar-case"},
    "control": set[str](),
}
DRAWN = {view for views in VIEWS.values() for view in views}
RIGHT = screening_key(tuple(LESSONS))
RAW = re.compile(r"\b(pos|neg)\b|undefined|NaN|\[object|\{\"|\*\*")
"""Labels as the data keep them, and what is seen only where data were not drawn."""
_DRAWN = "wanted => wanted.filter((view) => document.querySelector(`.stage ${view}`))"
_KIND = """() => [document.querySelector('.stage').dataset.task, ...['.explanation', '.revealed', '.sentence-pair',
  '[data-question=rating]', '[data-question=prediction]'].filter((part) => document.querySelector(`.stage ${part}`))].join(' ')"""
_LESSON = "instructions .explanation"
_FORWARD = "judge [data-question=prediction]"
_NARROW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


class Walk(NamedTuple):
    """What one person met."""

    faults: list[str]
    views: set[str]
    kinds: set[str]


class Reader(Keys):
    """Answers by keys alone, and looks at every screen."""

    def answer(self) -> None:
        """Answer all that is required."""
        for question in self.page.locator(".stage fieldset.question:not(:has(.optional))").all():
            name = str(question.get_attribute("data-question"))
            if question.locator(".point").count():
                self.point(name, 3)
                continue
            self.tab_to(f"[data-question={name}] input")
            self.keys.press("Space")
            for _ in range(3):
                if RIGHT.get(name, self.chosen(name)) == self.chosen(name):
                    break
                self.keys.press("ArrowDown")

    def chosen(self, name: str) -> str:
        """Return the option that is ticked."""
        return str(self.page.evaluate(f"document.querySelector('[data-question={name}] :checked')?.value"))

    def walk(self, examined: set[str]) -> Walk:
        """Go through the study, and say what was wrong on the way.

        `examined` holds the screens, by kind and views, that axe has looked at; arms share most of them.
        """
        told = Walk([], set(), set())
        while self.task() != "end":
            kind = str(self.page.evaluate(_KIND))
            views = self.page.evaluate(_DRAWN, sorted(DRAWN))
            screen = " ".join([kind, *views])
            told.faults.extend(f"{kind}: {fault}" for fault in self._faults(kind, is_new=screen not in examined))
            examined.add(screen)
            told.views.update(views)
            if kind == _FORWARD and kind not in told.kinds:
                told.faults.extend(self._ways_back())
            told.kinds.add(kind)
            self.answer()
            self.go_on()
        return told

    def _faults(self, kind: str, *, is_new: bool) -> Iterator[str]:
        seen = self.page.inner_text("body")
        if found := RAW.search(seen):
            yield f"{found[0]!r} is seen"
        if not self.page.evaluate(_NARROW):
            yield "wider than the window"
        if kind == _FORWARD and re.search(
            r"answer|explanation|speaks|example", seen.replace("Submit answer", ""), re.IGNORECASE
        ):
            yield "more than the case is shown"
        yield from violations(self.page) if is_new else ()

    def _ways_back(self) -> Iterator[str]:
        """Try every way back to the examples while a new case is asked about."""
        buttons = [button.inner_text() for button in self.page.locator("button:visible").all()]
        if buttons != ["Stop", "Submit answer"]:
            yield f"the buttons are {buttons}"
        asked = self.page.inner_text(".item")
        address = self.page.url
        self.page.goto(f"{address}#back")
        self.page.go_back()
        self.page.reload()
        self.task()
        if self.page.inner_text(".item") != asked:
            yield "another case is shown after going back"


def shortened(block: Block) -> Block:
    """Show two examples where there were four, and ask about two cases where there were eight."""
    if isinstance(block, Loop):
        return block.model_copy(update={"blocks": tuple(shortened(inner) for inner in block.blocks)})
    is_asked = isinstance(block, StageBlock) and block.items in ("learning", "forward", "counterfactual")
    return block.model_copy(update={"n_items": 2}) if is_asked else block


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    study = hase2020_text(n_items=8, n_examples=4, quota=1)
    # A scripted walk is faster than anybody who reads.
    short = {"flow": tuple(shortened(block) for block in study.flow), "exclusions": ()}
    with served(Study.model_validate(study.model_copy(update=short)), tmp_path_factory.mktemp("arms")) as made:
        yield made


def walked(page: Page, stage: Stage, examined: set[str]) -> Walk:
    page.goto(stage.address)
    return Reader(page).walk(examined)


def test_a_person_of_each_arm_reads_everything_in_words_by_keys_and_is_given_nothing_away(
    stage: Stage, browser: Browser
) -> None:
    met: dict[str, Walk] = {}
    examined: set[str] = set()
    for _ in VIEWS:
        context = browser.new_context(viewport=SMALLEST, reduced_motion="reduce")
        walk = walked(context.new_page(), stage, examined)
        context.close()
        (arm,) = {
            event.assignment.condition for event in stage.events() if isinstance(event, SessionStarted)
        } - met.keys()
        met[arm] = walk
    answers = {event.response.get("prediction") for event in stage.events() if isinstance(event, ResponseGiven)}
    assert {arm: walk.faults for arm, walk in met.items()} == {arm: [] for arm in VIEWS}
    assert {arm: walk.views for arm, walk in met.items()} == VIEWS
    assert all(_FORWARD in walk.kinds for walk in met.values())
    assert {arm for arm, walk in met.items() if _LESSON in walk.kinds} == VIEWS.keys() - {"control"}
    assert answers == {None, "pos"}
