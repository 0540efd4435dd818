"""Pages about regions, prototypes and trees in the browser: by mouse, by keyboard, after a reload and in a replay."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Response, Route, expect

from tests.journeys.hive_study import CREATURES, ITEMS, creatures_served, hive_study
from tests.journeys.picture_study import address
from tests.journeys.player_hands import Hands
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import Stage, visiting
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.journeys.test_replay import SAME, agreements, opened
from understudy.schema import Interacted, Json, ResponseGiven, TrialShown
from understudy.simulate.browser import LAYOUT_FAULT

HIDDEN = ("option_of_label", "option_of_prediction", "model_is", '"decisions"', "median_split", '"rule"')
RATED = {"sure": 2, "output_sure": 2, "species_sure": 4, "belief": 3}
CHOSEN = {
    "output": "2", "species": "3", "first_disagreement": "Step 2", "decision_1": "Present", "decision_2": "Absent",
    "fruit_prediction": "Incorrect", "first_mistake": "None", "gender": "Woman",
}  # fmt: skip
WIDER = """() => [...document.querySelectorAll('.match-rows, .heatmap, .card')]
  .filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.className)"""

BELOW = """() => [...document.querySelectorAll('.card:has(.match-rows) .primary')]
  .filter(button => button.getBoundingClientRect().bottom > innerHeight).map(button => button.textContent)"""

LONGER = "() => document.documentElement.scrollHeight - innerHeight"
LONG_PAGES_PX = 150
SIZES = ((1280, 800), (1024, 640), (390, 844))
"""How much longer than a small window pages with many questions may be."""


@pytest.fixture(scope="module")
def creatures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with creatures_served(hive_study(list(ITEMS)), tmp_path_factory.mktemp("creatures")) as stage:
        yield stage


class Rater(Hands):
    """Answers every question of a page, one option after the other."""

    def answer(self) -> None:
        if self.task() == "consent":
            return
        tabs = self.page.locator("[role=tab]")
        for number in range(max(1, tabs.count())):
            if tabs.count():
                self.open_tab(number)
            for question in self._asked("[role=tabpanel]:not([hidden])" if tabs.count() else "tbody"):
                self.answer_question(question)
        for question in self._asked(".stage .card"):
            self.answer_question(question)

    def _asked(self, within: str) -> list[str]:
        found = self.page.locator(f"{within} [data-question]:visible")
        names = found.evaluate_all("all => all.map(one => one.dataset.question)")
        # The second decision appears with the first.
        return [*names, "decision_2"] if names and names[-1] == "decision_1" else [str(name) for name in names]

    def open_tab(self, number: int) -> None:
        """Bring an option to the front."""
        self.page.locator("[role=tab]").nth(number).click()

    def answer_question(self, name: str) -> None:
        """Answer by what the page shows for the question; one that is answered already stays so."""
        field = self.page.locator(f"[data-question={name}]")
        if field.locator("input:checked").count():
            return
        if field.locator(".point").count():
            self.point(name, RATED.get(name, 3))
        elif field.locator(".option").count():
            # Optional questions may stay without an answer.
            if name in CHOSEN:
                self.choose_in(name, CHOSEN[name])
        elif field.locator("textarea").count():
            self.write(name)
        else:
            self.slide(name)

    def choose_in(self, name: str, option: str) -> None:
        """Tick an option of one question."""
        self.page.locator(f"[data-question={name}] .option").get_by_text(option, exact=True).click()

    def write(self, name: str) -> None:
        """Give a reason."""
        if not self.page.input_value(f"[data-question={name}] textarea"):
            self.page.fill(f"[data-question={name}] textarea", "Mistakes cost more.")

    def slide(self, name: str) -> None:
        """Move a slider a little."""
        self.page.locator(f"[data-question={name}] input").press(self.way_of(name))

    def way_of(self, name: str) -> str:
        """Name the key that moves a slider: it starts anywhere, and may be at its end."""
        slider = self.page.locator(f"[data-question={name}] input")
        return str(slider.evaluate("slider => slider.value === slider.max ? 'ArrowLeft' : 'ArrowRight'"))


class RaterByKeys(Rater, Keys):
    """The same without a mouse."""

    def answer(self) -> None:
        self.page.locator(".stage h1").focus()
        super().answer()

    def open_tab(self, number: int) -> None:
        self.page.locator(".stage h1").focus()
        self.tab_to("[role=tab]")
        if number:
            self.keys.press("ArrowRight")

    def choose_in(self, name: str, option: str) -> None:
        self.tab_to(f"[data-question={name}] input")
        self.keys.press("Space")
        while self.page.evaluate("document.activeElement.value") != option:
            self.keys.press("ArrowDown")

    def write(self, name: str) -> None:
        if not self.page.input_value(f"[data-question={name}] textarea"):
            self.tab_to(f"[data-question={name}] textarea")
            self.keys.type("Mistakes cost more.")

    def slide(self, name: str) -> None:
        self.tab_to(f"[data-question={name}] input")
        self.keys.press(self.way_of(name))


def begin(page: Page, stage: Stage) -> None:
    page.goto(stage.address)
    page.get_by_role("button", name="I agree", exact=True).click()
    # Until the next page is there, its questions would not be seen and its button would be pressed too soon.
    page.wait_for_selector(".stage:not([data-task=consent]) .card:not(.is-loading) h1")


class Walk(NamedTuple):
    """What one person answered in each block, was told, and what the page fetched meanwhile."""

    given: dict[str, Json]
    results: list[str]
    replies: list[Any]


def played(browser: Browser, stage: Stage, hands: type[Rater]) -> Walk:
    """Take part in a small window."""
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    told: list[str] = []
    replies: list[Response] = []
    page.on(
        "response",
        lambda reply: replies.append(reply) if "json" in (reply.headers.get("content-type") or "") else None,
    )
    begin(page, stage)
    figures = page.locator(".result .figure")
    hands(page).play(lambda task: told.extend(figures.all_inner_texts() if task == "disclosure" else []))
    fetched = [reply.json() for reply in replies]
    context.close()
    last = stage.events()[-1].session_id
    given = [event for event in stage.events() if isinstance(event, ResponseGiven) and event.session_id == last]
    return Walk({event.trial_id.split(".")[0]: event.response for event in given}, told, fetched)


@pytest.fixture(scope="module")
def walked(creatures: Stage, browser: Browser) -> Callable[[type[Rater]], Walk]:
    """Whole sessions, each played once for all tests that look at it."""
    walks: dict[type[Rater], Walk] = {}

    def walk(hands: type[Rater]) -> Walk:
        if hands not in walks:
            walks[hands] = played(browser, creatures, hands)
        return walks[hands]

    return walk


def ratings(n: int, prefix: str = "") -> Json:
    return {f"{prefix}row_{number}": 3 for number in range(1, n + 1)}


@pytest.mark.parametrize("hands", [Rater, RaterByKeys], ids=["mouse", "keyboard"])
def test_every_page_is_answered_and_every_answer_is_kept(
    walked: Callable[[type[Rater]], Walk], hands: type[Rater]
) -> None:
    given = walked(hands).given
    four = {"output": "2", "output_sure": 2, "species": "3", "species_sure": 4}
    assert given["four_maps"] == given["four_signed_maps"] == four
    assert given["ten_rows"] == {**ratings(10), "belief": 3}
    assert given["four_options"] == {
        **ratings(3, "option_1_"), **ratings(2, "option_2_"), **ratings(4, "option_3_"), **ratings(3, "option_4_"),
        "species": "3", "species_sure": 4,
    }  # fmt: skip
    assert given["rated_steps"] == {**ratings(5), "belief": 3}
    assert given["checked_steps"] == {"first_disagreement": "Step 2", "belief": 3}
    assert given["decided_steps"] == {"decision_1": "Present", "decision_2": "Absent", "sure": 2}
    assert given["exercise_1"] == given["exercise_2"]
    assert given["trade_off"].keys() == {"accuracy_low", "accuracy_medium", "accuracy_high", "reason"}


def test_no_page_shuts_anybody_out_or_is_wider_than_the_window(creatures: Stage, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    begin(page, creatures)

    def look(task: str) -> None:
        found.extend(f"{task}: {fault}" for fault in violations_in_both_schemes(page))
        found.extend(f"{task}: {wider} is wider" for wider in page.evaluate(WIDER))
        found.extend(f"{task}: {below} is below the window" for below in page.evaluate(BELOW))
        longer = page.evaluate(LONGER)
        if task in ("questionnaire", "tree_warm_up", "trade_off") and longer > LONG_PAGES_PX:
            found.append(f"{task}: {longer} px longer than the window")
        if page.locator("[data-question]").count():
            page.click(".card .primary")
            found.extend(f"{task} with faults: {fault}" for fault in violations_in_both_schemes(page))

    Rater(page).play(look)
    context.close()
    assert found == []


def test_no_word_is_cut_off_and_no_scale_is_broken_in_german(browser: Browser, tmp_path: Path) -> None:
    # German words are longer: a decision was cut through at the edge of its row.
    study = hive_study(["shown_steps", "ten_rows", "four_maps"], language="de")
    found: list[str] = []
    with creatures_served(study, tmp_path) as stage, visiting(browser) as context:
        page = context.new_page()
        page.goto(stage.address)
        page.get_by_role("button", name="Ich stimme zu", exact=True).click()
        page.wait_for_selector(".stage:not([data-task=consent]) .card:not(.is-loading) h1")

        def look(task: str) -> None:
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                fault = page.evaluate(LAYOUT_FAULT)
                found.extend([f"{task} at {width}: {fault}"] if fault else [])
            page.set_viewport_size({"width": 1280, "height": 800})

        Rater(page).play(look)
    assert found == []


def shown_task(reply: Any) -> str | None:
    """Name the task of the page that a reply of the server brings, if it brings one."""
    step = (reply.get("state") or reply).get("step")
    return str(step["trial"]["task"]) if step else None


def test_nothing_that_is_fetched_names_what_stays_on_the_server(walked: Callable[[type[Rater]], Walk]) -> None:
    telling = [
        (shown_task(reply), name) for reply in walked(Rater).replies for name in HIDDEN if name in json.dumps(reply)
    ]
    # The page with the results names the rules that made them.
    assert [pair for pair in telling if pair[0] != "disclosure"] == []
    assert ("disclosure", "median_split") in telling


def test_results_are_those_of_the_answers(walked: Callable[[type[Rater]], Walk]) -> None:
    assert walked(Rater).results[1:] == ["You were right in 1 of 1 case (100%)."] * 2


def test_an_exercise_is_followed_by_the_reason(creatures: Stage, page: Page) -> None:
    begin(page, creatures)
    hands = Rater(page)
    hands.play(until="tree_warm_up")
    hands.answer()
    page.click(".card .primary")
    expect(page.locator(".answer-feedback .is-wrong")).to_contain_text("Your answer is not correct.")
    expect(page.get_by_text("The fruit was yellow, but the model followed the branch for green.")).to_be_visible()


def test_the_open_option_and_its_ratings_survive_a_reload(page: Page, tmp_path: Path) -> None:
    with creatures_served(hive_study(["four_options"]), tmp_path) as stage:
        begin(page, stage)
        hands = Rater(page)
        hands.play(until="rate_matches")
        hands.open_tab(2)
        hands.point("option_3_row_2", 4)
        page.reload()
        hands.task()
        expect(page.get_by_role("tab", selected=True)).to_contain_text("Option 3")
        expect(page.locator("[data-question=option_3_row_2] input").nth(3)).to_be_checked()
        shown = [event.payload for event in stage.events() if isinstance(event, Interacted)]
        assert {"option": 3} in shown


def test_a_picture_of_a_row_opens_by_keyboard_and_the_look_is_told(page: Page, tmp_path: Path) -> None:
    with creatures_served(hive_study(["ten_rows"]), tmp_path) as stage:
        begin(page, stage)
        Rater(page).play(until="rate_matches")
        page.locator(".match-picture").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name="Row 2: the region of the photo, enlarged")).to_be_visible()
        page.keyboard.press("Escape")
        # Arrows on a scale move along the scale, and not to another picture.
        page.locator("[data-question=row_1] input").first.press("Space")
        page.keyboard.press("ArrowDown")
        expect(page.locator("[data-question=row_1] input").nth(1)).to_be_checked()
        Rater(page).answer()
        Rater(page).go_on()
        looks = [
            event for event in stage.events() if isinstance(event, Interacted) and event.action == "picture_opened"
        ]
    assert [(look.payload["row"], look.payload["column"]) for look in looks] == [(1, 1)]


@pytest.mark.parametrize("block", ["ten_rows", "four_options", "decided_steps"])
def test_the_clock_starts_when_the_last_picture_is_painted(page: Page, tmp_path: Path, block: str) -> None:
    # A photo that only a late row shows, in another tab or below the edge of the window.
    late = address(CREATURES[7])
    with creatures_served(hive_study([block]), tmp_path) as stage:
        held: list[Route] = []
        released_ms: list[float] = []
        page.route(f"**/{late}", lambda route: route.continue_() if released_ms else held.append(route))
        begin(page, stage)
        hands = Rater(page)
        hands.play(until="tree_warm_up")
        for _ in range(2):
            hands.answer()
            hands.go_on()
        hands.task()
        page.click(".card .primary")
        page.wait_for_selector(".loading h1, .is-loading h1")
        assert page.locator(".match-rows:visible").count() == 0
        released_ms.append(page.evaluate("Date.now()"))
        for route in held:
            route.continue_()
        page.wait_for_selector(".match-rows")
        hands.answer()
        hands.go_on()
        [told] = [
            event for event in stage.events() if isinstance(event, TrialShown) and event.trial_id.startswith(block)
        ]
    assert held
    assert released_ms[0] < told.at_ms


def test_the_method_can_be_read_again_and_every_look_is_told(page: Page, tmp_path: Path) -> None:
    with creatures_served(hive_study(["checked_steps"]), tmp_path) as stage:
        begin(page, stage)
        Rater(page).play(until="check_steps")
        page.get_by_role("button", name="Show again").click()
        expect(page.get_by_role("dialog").get_by_text("The model compares parts of photos.")).to_be_visible()
        page.get_by_role("button", name="Close").click()
        Rater(page).answer()
        Rater(page).go_on()
        told = [event.action for event in stage.events() if isinstance(event, Interacted)]
    assert told.count("reference_opened") == told.count("reference_closed") == 1


def test_where_sliders_start_is_told_and_an_untouched_one_is_not_an_answer(page: Page, tmp_path: Path) -> None:
    study = hive_study(["one_map"], start="accuracy", must_touch=False)
    with creatures_served(study, tmp_path) as stage:
        begin(page, stage)
        hands = Rater(page)
        hands.play(until="trade_off")
        hands.slide("accuracy_high")
        hands.write("reason")
        hands.go_on()
        told = [event for event in stage.events() if isinstance(event, Interacted)]
        given = [event.response for event in stage.events() if isinstance(event, ResponseGiven)][-1]
    starts = {
        event.payload["question_id"]: event.payload["value"] for event in told if event.action == "slider_started"
    }
    untouched = [event.payload["question_id"] for event in told if event.action == "slider_untouched"]
    assert starts == {"accuracy_low": 82, "accuracy_medium": 82, "accuracy_high": 82}
    assert untouched == ["accuracy_low", "accuracy_medium"]
    assert given == {"accuracy_high": 83, "reason": "Mistakes cost more."}


def test_a_replay_draws_the_same_pages(browser: Browser, tmp_path: Path) -> None:
    blocks = ["four_maps", "four_options", "checked_steps", "decided_steps"]
    with creatures_served(hive_study(blocks), tmp_path) as stage, visiting(browser) as context:
        page = context.new_page()
        begin(page, stage)
        hands = Rater(page)
        hands.play()
        opened(page, stage)
        assert agreements(page, stage) == [SAME] * (len(hands.seen) + 1)
