"""The first page is there before a place in the study and before most of the script; what is pressed on it is kept."""

import re

from playwright.sync_api import Page, Route, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage
from understudy.schema import ResponseGiven, SessionEnded, SessionStarted, TrialShown

START = re.compile(r"/api/s/[^/]+/start$")
REST = re.compile(r"/static/session_page-")
CARD = ".stage .card"


class HeldBack:
    """Holds the first requests for some addresses back until they are let go."""

    def __init__(self, page: Page, *addresses: re.Pattern[str]) -> None:
        self._waiting: list[Route] = []
        for address in addresses:
            page.route(address, lambda route: self._waiting.append(route), times=1)

    def let_go(self) -> None:
        for route in self._waiting:
            route.continue_()


def types(stage: Stage) -> list[str]:
    return [
        event.type for event in stage.events() if isinstance(event, SessionStarted | TrialShown | ResponseGiven)
    ]  # fmt: skip


def consents(stage: Stage) -> list[str]:
    given = [event.response.get("consent") for event in stage.events() if isinstance(event, ResponseGiven)]
    return [str(answer) for answer in given if answer is not None]


def test_what_is_pressed_before_there_is_a_session_is_answered_once(stage: Stage, page: Page) -> None:
    held = HeldBack(page, START, REST)
    page.goto(stage.address)
    page.get_by_role("button", name="I agree").dblclick()
    assert stage.events() == []
    expect(page.locator(".status")).to_have_text("Saving …")
    held.let_go()
    expect(page.locator(".stage[data-task=device_check]")).to_be_visible()
    assert types(stage)[:3] == ["session_started", "trial_shown", "response_given"]
    assert consents(stage) == ["I agree"]


def test_the_two_answers_stay_where_they_are_while_one_is_saved(stage: Stage, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    held = HeldBack(page, START)
    page.goto(stage.address)
    answers = page.locator(f"{CARD} .actions .button")
    before = [answer.bounding_box() for answer in answers.all()]
    page.get_by_role("button", name="I agree").click()
    expect(page.locator(".status")).to_have_text("Saving …")
    assert [answer.bounding_box() for answer in answers.all()] == before
    facts = page.locator(".consent-facts").bounding_box()
    assert facts is not None
    assert [box["width"] for box in before if box is not None] == [facts["width"]] * 2
    held.let_go()


def test_who_declines_before_there_is_a_session_is_let_go(stage: Stage, page: Page) -> None:
    held = HeldBack(page, START)
    page.goto(stage.address)
    page.get_by_role("button", name="I do not agree").click()
    held.let_go()
    expect(page.get_by_role("heading", name="No problem")).to_be_visible()
    assert [event.outcome for event in stage.events() if isinstance(event, SessionEnded)] == ["declined"]


def test_the_session_takes_the_page_over_as_it_is(stage: Stage, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 400})
    held = HeldBack(page, START)
    page.goto(stage.address)
    page.locator(CARD).evaluate("card => card.dataset.mark = 'early'")
    page.keyboard.press("Tab")
    page.mouse.wheel(0, 120)
    page.wait_for_function("scrollY > 0")
    left = page.evaluate("[scrollY, document.activeElement.textContent]")
    held.let_go()
    page.wait_for_event("request", lambda request: request.url.endswith("/events"))
    assert page.evaluate("[scrollY, document.activeElement.textContent]") == left
    assert page.locator(CARD).get_attribute("data-mark") == "early"
    assert page.locator(CARD).count() == 1


def test_stop_pressed_before_there_is_a_session_asks_as_soon_as_there_is_one(stage: Stage, page: Page) -> None:
    held = HeldBack(page, START)
    page.goto(stage.address)
    page.get_by_role("button", name="Stop", exact=True).click()
    held.let_go()
    page.get_by_role("button", name="Stop and keep my answers").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()


def test_a_page_without_its_session_says_so(stage: Stage, page: Page) -> None:
    page.route(START, lambda route: route.abort())
    page.goto(stage.address)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute(START)
    page.get_by_role("button", name="Try again").click()
    assert Hands(page).task() == "consent"


def test_a_page_without_the_rest_of_its_script_says_so(stage: Stage, page: Page) -> None:
    page.route(REST, lambda route: route.abort())
    page.goto(stage.address)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_who_comes_back_never_sees_the_first_page_again(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    Hands(page).play(until="instructions")
    held = HeldBack(page, REST)
    page.reload()
    expect(page.locator(CARD)).to_have_text("One moment …")
    held.let_go()
    assert Hands(page).task() == "instructions"


def test_who_comes_back_need_not_wait_for_an_answer_of_the_server(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    Hands(page).play(until="instructions")
    page.route(START, lambda route: route.abort())
    page.reload()
    assert Hands(page).task() == "instructions"
    again = page.context.new_page()
    again.route(START, lambda route: route.abort())
    again.goto(stage.address)
    expect(again.get_by_role("button", name="Continue here")).to_be_visible()


def test_a_person_on_another_computer_goes_on_where_they_were(stage: Stage, page: Page) -> None:
    address = f"{stage.address}?PROLIFIC_PID=5f1"
    page.goto(address)
    Hands(page).play(until="instructions")
    page.context.clear_cookies()
    page.evaluate("sessionStorage.clear()")
    held = HeldBack(page, START)
    page.goto("about:blank")
    page.goto(address)
    # The address alone tells nobody whether this person takes part already.
    page.get_by_role("button", name="I agree").click()
    held.let_go()
    page.get_by_role("button", name="Continue", exact=True).click()
    page.locator(".stage[data-task=instructions]").wait_for()
    assert consents(stage) == ["I agree"]
