"""Questions about one dial in the real page: both visualisations, by keyboard alone, and open to everybody."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.dial_study import dial_study
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import Stage, StageOf, served, visiting
from tests.journeys.test_player_access import violations_in_both_schemes
from understudy.schema import Event, Interacted, ResponseGiven
from understudy.tasks.questionnaire import SCALES

N_QUESTIONS = 6
LAYOUTS = {"exemplars": 24, "traversals": 35}


class DialKeys(Keys):
    """Answers the study of single dials without a mouse."""

    def answer(self) -> None:
        """Answer all that the page asks."""
        task = self.task()
        if task == "single_dial":
            self.regime()
        elif task == "seq":
            self.point("difficulty", 6)
        elif task == "nasa_tlx":
            for scale in SCALES:
                self.tab_to(f"[data-question={scale}] input")
                self.keys.press("ArrowRight")

    def regime(self) -> None:
        """Ask for more examples, choose the second place and rate twice."""
        self.tab_to(".dial-more button")
        self.keys.press("Enter")
        self.tab_to("[data-question=regime] input")
        self.keys.press("Space")
        self.keys.press("ArrowDown")
        self.point("confidence", 2)
        self.point("sense", 5)


@pytest.fixture(params=LAYOUTS)
def dials(request: pytest.FixtureRequest, stage_of: StageOf) -> Stage:
    return stage_of(dial_study(request.param))


class Walk(NamedTuple):
    """A whole session by keyboard: what was sent, which pages told something, and what was told after answers."""

    events: Sequence[Event]
    n_notices: list[int]
    verdicts: list[str]


@pytest.fixture(scope="module", params=LAYOUTS)
def walk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Walk:
    with served(dial_study(request.param), tmp_path_factory.mktemp("walk")) as stage, visiting(browser) as context:
        page = context.new_page()
        page.goto(stage.address)
        hands = DialKeys(page)
        notices: list[int] = []
        hands.play(lambda _: notices.append(page.locator(".notice").count()))
        return Walk(stage.events(), notices, hands.verdicts)


def test_both_visualisations_can_be_gone_through_by_keyboard(walk: Walk) -> None:
    given = [event.response for event in walk.events if isinstance(event, ResponseGiven)]
    assert given[:N_QUESTIONS] == [{"regime": "Medium", "confidence": 2, "sense": 5}] * N_QUESTIONS
    assert given[N_QUESTIONS:] == [{"difficulty": 6}, dict.fromkeys(SCALES, 55), {}]


def test_every_call_for_more_examples_is_kept(walk: Walk) -> None:
    asked_for = [event for event in walk.events if isinstance(event, Interacted) and event.action == "more_shown"]
    assert [one.payload for one in asked_for] == [{"set": 1}] * N_QUESTIONS


def test_what_was_right_comes_with_the_answer_and_on_no_other_page(walk: Walk) -> None:
    assert set(walk.n_notices) == {0}
    # The first two are practice, which tells nothing in this study.
    assert len(walk.verdicts) == N_QUESTIONS - 2


def test_a_reload_finds_the_same_examples(dials: Stage, page: Page) -> None:
    page.goto(dials.address)
    hands = DialKeys(page)
    hands.task()
    for _ in range(2):
        hands.tab_to(".dial-more button")
        hands.keys.press("Enter")
    page.wait_for_function("document.querySelector('.dial-more p').textContent === 'Examples 3 of 3'")
    page.reload()
    hands.task()
    assert page.inner_text(".dial-more p") == "Examples 3 of 3"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pictures_are_really_drawn(layout: Any, page: Page, tmp_path: Path) -> None:
    with served(dial_study(layout), tmp_path) as stage:
        page.goto(stage.address)
        page.wait_for_selector(".dial-aid canvas")
        drawn = page.wait_for_function(
            """() => { const found = [...document.querySelectorAll('.dial-aid canvas')].map((one) =>
            new Set(one.getContext('2d').getImageData(0, 0, 64, 64).data).size);
            return found.every((n) => n >= 2) ? found.length : 0 }"""
        ).json_value()
    assert drawn == LAYOUTS[layout]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_screen_shuts_anybody_out_or_outgrows_a_small_window(layout: Any, browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    found: list[str] = []
    widths: list[int] = []
    heights: list[int] = []

    def look(task: str) -> None:
        found.extend(f"{task}: {violation}" for violation in violations_in_both_schemes(page))
        widths.append(page.evaluate("document.documentElement.scrollWidth"))
        if task == "single_dial":
            heights.append(page.evaluate("document.documentElement.scrollHeight"))

    with served(dial_study(layout, language="de"), tmp_path) as stage:
        page.goto(stage.address)
        DialKeys(page).play(look)
    context.close()
    assert found == []
    assert (max(widths), heights) == (1024, [640] * N_QUESTIONS)
