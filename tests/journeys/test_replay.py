"""The replay draws every screen of a session again, and each ends in the state the participant saw."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage, served
from tests.journeys.player_study import player_study
from tests.journeys.test_dashboard import sign_in
from understudy.schema import Interacted, ResponseGiven, Study

SAME = "Ends in the state the participant saw"
STANDS_WHERE_IT_ENDED = """() => {
  const film = document.querySelector('.screen video');
  return film && film.readyState >= 2 && !film.seeking && film.currentTime > 0.4; }"""
OTHER = "Differs from what the participant saw"


def study_with_everything() -> Study:
    """Every screen, with earlier material both beside the trial and behind a button."""
    plain = player_study(film="film.webm").model_dump(mode="json")
    predict = next(block for block in plain["flow"] if block["block_id"] == "predict")
    predict["references"] = [
        {"block": "method", "access": "on_demand"},
        {"block": "learn", "access": "always"},
    ]
    return Study.model_validate(plain)


@pytest.fixture
def full_stage(tmp_path: Path, film: bytes) -> Iterator[Stage]:
    (tmp_path / "film.webm").write_bytes(film)
    with served(study_with_everything(), tmp_path / "run", root=tmp_path) as made:
        yield made


class Thorough(Hands):
    """Somebody who leaves traces everywhere: wrong tries, opened texts, changed minds, reloads."""

    def answer(self) -> None:
        task = self.task()
        if task == "video":
            self.page.locator("summary").click()
        if self.page.locator("[data-question=prediction]").count():
            self.page.get_by_role("button", name="Show again").click()
            self.page.get_by_role("button", name="Close").click()
            self.choose("defaulted")
            self.page.reload()
            self.task()
        if self.page.locator("[data-question=age]").count():
            self.page.click(".card .primary")
            self.page.fill("[data-question=age] input", "41,0")
            self.page.locator("[data-question=order] .arrow:enabled").last.click()
        super().answer()


def played_in_browser(stage: Stage, browser: Browser) -> list[str]:
    """Take part in a window of another size than the researcher's, and return what was shown."""
    context = browser.new_context(viewport={"width": 1100, "height": 700})
    page = context.new_page()
    page.goto(stage.address)
    hands = Thorough(page)
    hands.play()
    context.close()
    return hands.seen


def opened(page: Page, stage: Stage) -> None:
    sign_in(page, stage)
    page.get_by_role("link", name="Sessions").click()
    page.get_by_role("link", name=re.compile("^Replay of")).first.click()
    expect(page.get_by_label("Moment of the session")).to_be_visible()


def go_to(page: Page, place: int) -> None:
    bar = page.get_by_label("Moment of the session")
    bar.evaluate("(bar, at) => { bar.value = at; bar.dispatchEvent(new Event('input')); }", str(place))


def agreements(page: Page, stage: Stage) -> list[str]:
    """Read what the replay says of each screen at the moment of its answer."""
    said: list[str] = []
    for place, event in enumerate(stage.events()):
        if isinstance(event, ResponseGiven):
            go_to(page, place)
            said.append(page.inner_text(".agreement"))
    return said


def test_every_screen_of_a_replay_ends_in_the_state_the_participant_saw(
    full_stage: Stage, browser: Browser, page: Page
) -> None:
    seen = played_in_browser(full_stage, browser)
    opened(page, full_stage)
    told = [
        event.payload
        for event in full_stage.events()
        if isinstance(event, Interacted) and event.action == "screen_state"
    ]
    assert len(told) == len({str(state["sha256"]) for state in told}) == len(seen) - 2
    assert agreements(page, full_stage) == [SAME] * len(told)


def test_a_replay_that_differs_says_so(stage: Stage, page: Page) -> None:
    def forge(route: Route) -> None:
        record: Any = route.fetch().json()
        for event in record["events"]:
            if "prediction" in event.get("response", {}):
                event["response"]["prediction"] = "defaulted"
        route.fulfill(body=json.dumps(record), content_type="application/json")

    hands = Hands(page)
    page.goto(stage.address)
    hands.play()
    page.route(re.compile("/sessions/[^/?]+$"), forge)
    opened(page, stage)
    said = agreements(page, stage)
    assert (said.count(OTHER), set(said)) == (2, {SAME, OTHER})


def test_film_and_earlier_material_are_drawn_in_the_replay(full_stage: Stage, browser: Browser, page: Page) -> None:
    played_in_browser(full_stage, browser)
    opened(page, full_stage)
    events = full_stage.events()
    film = next(
        k for k, event in enumerate(events) if isinstance(event, ResponseGiven) and "watched_share" in event.response
    )
    go_to(page, film)
    page.wait_for_function(STANDS_WHERE_IT_ENDED)
    look = next(
        k for k, event in enumerate(events) if isinstance(event, Interacted) and event.action == "reference_opened"
    )
    go_to(page, look)
    expect(page.locator(".screen .looked-at")).to_contain_text("A model reads four figures")
    expect(page.locator(".screen .aside .reference")).to_have_count(2)
    go_to(page, look + 1)
    expect(page.locator(".screen .looked-at")).to_be_hidden()


def test_an_open_session_is_followed_live(stage: Stage, browser: Browser, page: Page) -> None:
    taking_part = browser.new_context().new_page()
    taking_part.goto(stage.address)
    hands = Hands(taking_part, n_wrong=0)
    hands.play(until="instructions")
    opened(page, stage)
    page.get_by_label("Moment of the session").press("End")
    expect(page.locator(".screen .stage")).to_have_attribute("data-task", "instructions")
    hands.play(until="questionnaire")
    expect(page.locator(".screen .stage")).to_have_attribute("data-task", "questionnaire")
    page.get_by_label("Moment of the session").press("Home")
    hands.play()
    expect(page.locator(".who .badge.is-completed")).to_be_visible()
    expect(page.locator(".screen .stage")).to_have_attribute("data-task", "consent")
    taking_part.context.close()


def test_the_heading_names_the_participant_in_full(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    Hands(page).play(until="instructions")
    opened(page, stage)
    started = stage.events()[0].model_dump()
    expect(page.locator(".who h1")).to_have_text(str(started["participant_id"]))
