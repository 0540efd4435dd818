"""Whole sessions of the Two4Two comparison in a real browser, with films, failed tests and partial pay."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import Stage, served
from tests.protocols.sixt2022.stand_in import write_material
from understudy.protocols import Sixt2022, sixt2022_comparison
from understudy.protocols.sixt2022.tutorials import ANIMALS, EXPLANATIONS, SYSTEMS
from understudy.schema import GateDecided, Interacted, PaySettled, ResponseGiven, SessionEnded, blocks_in

TRUE = {
    statement.text: "True" if statement.is_true else "False"
    for lesson in (ANIMALS, SYSTEMS, *EXPLANATIONS.values())
    for statement in lesson.statements
}
"""Statement -> whether it is true; those of different lessons differ in their words."""
NAMES = ("legs", "colour", "background", "shape", "posture")
REASON = "I looked at every column of the grid and thought about "
SMALL: ViewportSize = {"width": 1024, "height": 640}


class Judging(Hands):
    """Answers the tests correctly, except for the named tries, and calls everything relevant."""

    def __init__(self, page: Page, *, n_wrong: int = 0) -> None:
        super().__init__(page, n_wrong=n_wrong)

    def answer(self) -> None:
        """Answer all that the page asks."""
        task = self.task()
        if task == "questionnaire" and self.page.locator("[data-question=expertise]").count():
            self.choose("I have some expertise")
        elif task == "questionnaire":
            self.test()
        elif task == "relevance":
            self.judge(NAMES)
        else:
            super().answer()

    def test(self) -> None:
        """Say which statements are true, or the opposite while tries are to fail."""
        is_wrong, self.n_wrong = self.n_wrong > 0, self.n_wrong - 1
        for question in self.page.locator(".question").all():
            told = TRUE[question.locator("legend > span").first.inner_text()]
            wanted = {"True": "False", "False": "True"}[told] if is_wrong else told
            question.locator(f"input[value={wanted}]").check()

    def judge(self, names: tuple[str, ...]) -> None:
        """Call attributes relevant, and say why."""
        for name in names:
            self.page.locator(f"[data-question={name}] input[value=Relevant]").check()
            self.page.fill(f"[data-question={name}_why] textarea", f"{REASON}{name}.")


class JudgingKeys(Keys):
    """The same by keyboard alone."""

    def answer(self) -> None:
        """Answer all that the page asks."""
        task = self.task()
        if task == "relevance":
            for name in NAMES:
                self.tab_to(f"[data-question={name}] input")
                self.keys.press("Space")
                self.tab_to(f"[data-question={name}_why] textarea")
                self.keys.type(f"{REASON}{name}.")
        elif task == "questionnaire" and self.page.locator("[data-question=expertise]").count():
            self.choose("I am an expert")
        elif task == "questionnaire":
            self.test()
        else:
            super().answer()

    def test(self) -> None:
        """Say which statements are true."""
        for question in self.page.locator(".question").all():
            told = TRUE[question.locator("legend > span").first.inner_text()]
            asked = question.get_attribute("data-question")
            self.tab_to(f"[data-question={asked}] input")
            self.keys.press("Space" if told == "True" else "ArrowDown")


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory, film: bytes) -> Path:
    folder = tmp_path_factory.mktemp("two4two")
    write_material(folder / "material", film)
    return folder


@pytest.fixture
def two4two(tmp_path: Path, material: Path) -> Iterator[Stage]:
    with served(sixt2022_comparison(Sixt2022(material="material")), tmp_path / "run", root=material) as made:
        yield made


@pytest.fixture(scope="module")
def grid_page(tmp_path_factory: pytest.TempPathFactory, material: Path) -> Iterator[Stage]:
    """The same study without its tutorials, for tests of the page about the grid."""
    whole = sixt2022_comparison(Sixt2022(material="material"))
    # Its references are to the tutorials, which a study that is checked could not leave out and still name.
    flow = tuple(
        block.model_copy(update={"references": ()})
        for block in blocks_in(whole.flow)
        if block.block_id in ("consent", "judge_attributes", "debrief")
    )
    measures = tuple(use for use in whole.measures if not use.name.startswith(("tries_test", "expertise")))
    study = whole.model_copy(update={"flow": flow, "measures": measures})
    with served(study, tmp_path_factory.mktemp("grid") / "run", root=material) as made:
        yield made


def paid(stage: Stage) -> list[tuple[float, float]]:
    return [(event.base, event.bonus) for event in stage.events() if isinstance(event, PaySettled)]


def judged_legs(stage: Stage) -> list[Any]:
    given = [event.response for event in stage.events() if isinstance(event, ResponseGiven)]
    return [response["legs"] for response in given if "legs" in response]


def outcomes(stage: Stage) -> list[str]:
    return [event.outcome for event in stage.events() if isinstance(event, SessionEnded)]


def test_a_person_goes_over_a_failed_test_to_the_bonus(two4two: Stage, page: Page) -> None:
    page.goto(two4two.address)
    hands = Judging(page, n_wrong=1)
    hands.play()
    assert [event.is_passed for event in two4two.events() if isinstance(event, GateDecided)] == [
        False,
        True,
        True,
        True,
    ]
    assert outcomes(two4two) == ["completed"]
    assert paid(two4two) == [(4.5, 1.2)]
    expect(page.locator(".pay")).to_contain_text("£1.20")


def test_a_second_failed_test_ends_with_the_pay_of_the_first_tutorial(two4two: Stage, page: Page) -> None:
    page.goto(two4two.address)
    Judging(page, n_wrong=2).play()
    assert outcomes(two4two) == ["screened_out"]
    expect(page.locator(".pay")).to_have_text("You receive £0.50.")


def test_everything_goes_by_keyboard_alone(two4two: Stage, page: Page) -> None:
    page.goto(two4two.address)
    JudgingKeys(page).play()
    assert outcomes(two4two) == ["completed"]


def test_answers_survive_a_reload_of_the_grid_page(grid_page: Stage, page: Page) -> None:
    page.goto(grid_page.address)
    hands = Judging(page)
    hands.play(until="relevance")
    hands.judge(("legs", "colour"))
    page.reload()
    hands.task()
    expect(page.locator("[data-question=legs] input[value=Relevant]")).to_be_checked()
    expect(page.locator("[data-question=colour_why] textarea")).to_have_value(f"{REASON}colour.")


def test_short_reasons_are_sent_back_and_pasted_ones_are_noted(grid_page: Stage, page: Page) -> None:
    page.goto(grid_page.address)
    hands = Judging(page)
    hands.play(until="relevance")
    hands.judge(NAMES)
    page.fill("[data-question=shape_why] textarea", "Round.")
    page.click(".card .primary")
    expect(page.locator("[data-question=shape_why] .fault")).to_be_visible()
    page.eval_on_selector(
        "[data-question=shape_why] textarea",
        """field => { const data = new DataTransfer(); data.setData("text", "copied");
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true })); }""",
    )
    page.fill("[data-question=shape_why] textarea", f"{REASON}round and square blocks.")
    hands.go_on()
    noted = [
        event.payload for event in grid_page.events() if isinstance(event, Interacted) and event.action == "pasted"
    ]
    assert noted == [{"question_id": "shape_why", "n_chars": 6}]


def test_grid_and_questions_are_both_reached_in_a_small_window(grid_page: Stage, page: Page) -> None:
    before = judged_legs(grid_page)
    page.set_viewport_size(SMALL)
    page.goto(grid_page.address)
    hands = Judging(page)
    hands.play(until="relevance")
    page.locator(".picture-grid button").last.scroll_into_view_if_needed()
    expect(page.locator(".picture-grid button").last).to_be_in_viewport()
    expect(page.locator(".relevance .explanation")).to_be_in_viewport()
    page.locator("[data-question=posture_why] textarea").scroll_into_view_if_needed()
    expect(page.locator("[data-question=posture_why] textarea")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    hands.answer()
    hands.go_on()
    assert judged_legs(grid_page) == [*before, "Relevant"]
