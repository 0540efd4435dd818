"""The researcher's journey: sign in, see the counts, replay a session, exclude it with a reason."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.http_people import StubbornPerson
from tests.journeys.player_stage import Stage, served
from tests.journeys.player_study import player_study
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.loops import finished

STUDY = "player-en"
TOKEN = "unguessable"


class Seen:
    """What the browser complained about; being asked to sign in is no complaint."""

    def __init__(self, page: Page) -> None:
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self._hear(said.type, said.text))

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error" and "401" not in text:
            self.complaints.append(text)


def played(stage: Stage) -> None:
    """Let somebody take part by HTTP."""
    person = StubbornPerson(stage.address.partition("/s/")[0], STUDY, 1, lambda: None)
    finished(person.take_part())


def sign_in(page: Page, stage: Stage) -> None:
    page.goto(f"{stage.address.partition('/s/')[0]}/admin")
    page.get_by_label("Admin token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Studies", level=1)).to_be_visible()


def counted(page: Page, name: str) -> int:
    return sum(int(text) for text in page.locator(f"[data-kind=person] [data-count={name}]").all_inner_texts())


def open_session(page: Page) -> None:
    page.get_by_role("link", name="Sessions").click()
    page.get_by_role("link", name=re.compile("^Replay of")).first.click()
    expect(page.get_by_label("Moment of the session")).to_be_visible()


@contextmanager
def at_desk(page: Page, stage: Stage) -> Iterator[Page]:
    """Sign in, and see to it that nothing is complained about until the block ends."""
    seen = Seen(page)
    sign_in(page, stage)
    yield page
    assert seen.complaints == []


@pytest.fixture(scope="module")
def played_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A study with one session, for tests that only look at it."""
    with served(player_study(), tmp_path_factory.mktemp("played")) as stage:
        played(stage)
        yield stage


@pytest.fixture
def desk(played_stage: Stage, page: Page) -> Iterator[Page]:
    with at_desk(page, played_stage):
        yield page


@pytest.fixture
def own_desk(stage: Stage, page: Page) -> Iterator[Page]:
    """A desk at a study that no other test looks at."""
    played(stage)
    with at_desk(page, stage):
        yield page


def test_a_wrong_token_is_told_in_words(stage: Stage, page: Page) -> None:
    page.goto(f"{stage.address.partition('/s/')[0]}/admin")
    page.get_by_label("Admin token").fill("guess")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("The token is not right")


def test_counts_follow_a_session_without_a_reload(stage: Stage, page: Page) -> None:
    sign_in(page, stage)
    before = counted(page, "completed")
    played(stage)
    expect(page.locator(".facts dd").first).to_have_text("1")
    assert (before, counted(page, "completed")) == (0, 1)


def test_the_flow_follows_a_session_without_a_reload(stage: Stage, page: Page) -> None:
    sign_in(page, stage)
    flow = page.locator("[data-flow=person]")
    expect(flow).to_contain_text("0 recruited")
    played(stage)
    expect(flow.locator("[data-stop=completed]")).to_have_text("1")
    expect(flow).to_contain_text("1 recruited, 0 declined")


def test_the_replay_fills_in_the_given_answer(desk: Page) -> None:
    open_session(desk)
    desk.get_by_role("button", name=re.compile("^predict")).first.click()
    option = desk.locator(".screen .option").filter(has_text="repaid").locator("input")
    expect(option).not_to_be_checked()
    desk.get_by_role("button", name="One event on").click(click_count=2)
    expect(option).to_be_checked()
    expect(option).to_be_disabled()


def test_what_a_step_says_lies_inside_its_button(desk: Page) -> None:
    open_session(desk)
    rights = "one => [one, one.lastElementChild].map(part => part.getBoundingClientRect().right)"
    button, words = desk.locator(".step").first.evaluate(rights)
    assert words < button


def test_the_bar_leads_to_the_end_by_keyboard(desk: Page) -> None:
    open_session(desk)
    desk.get_by_label("Moment of the session").press("End")
    expect(desk.locator(".screen .stage")).to_have_attribute("data-task", "debrief")
    expect(desk.locator(".raw")).to_contain_text('"type": "pay_settled"')


def test_playing_reaches_the_end_by_itself(desk: Page) -> None:
    open_session(desk)
    desk.get_by_label("Speed").select_option("16")
    desk.get_by_role("button", name="Play").click()
    expect(desk.locator(".step").last).to_have_attribute("aria-current", "step")
    expect(desk.get_by_role("button", name="Play")).to_be_visible()


def test_an_exclusion_needs_a_reason_and_changes_the_counts(own_desk: Page) -> None:
    open_session(own_desk)
    own_desk.get_by_role("button", name="Exclude…").click()
    own_desk.get_by_role("button", name="Exclude", exact=True).click()
    expect(own_desk.get_by_role("alert")).to_have_text("Please give a reason.")
    own_desk.get_by_label("Reason").fill("Told us that a friend answered.")
    own_desk.get_by_role("button", name="Exclude", exact=True).click()
    expect(own_desk.locator(".reason")).to_contain_text("Told us that a friend answered.")
    own_desk.goto(f"{own_desk.url.partition('#')[0]}#/{STUDY}")
    own_desk.get_by_label("Outcome").select_option("excluded")
    expect(own_desk.locator(".sessions .is-excluded")).to_be_visible()
    assert (counted(own_desk, "completed"), counted(own_desk, "excluded")) == (0, 1)


def test_filters_leave_only_what_fits(desk: Page) -> None:
    desk.get_by_role("link", name="Sessions").click()
    expect(desk.locator(".sessions tbody tr")).to_have_count(1)
    desk.get_by_label("Outcome").select_option("withdrew")
    expect(desk.locator(".place")).to_have_text("No sessions.")


def test_no_page_of_the_dashboard_shuts_anybody_out(played_stage: Stage, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{played_stage.address.partition('/s/')[0]}/admin")
    expect(page.get_by_label("Admin token")).to_be_visible()
    found = violations_in_both_schemes(page)
    sign_in(page, played_stage)
    found += violations_in_both_schemes(page)
    page.get_by_role("link", name="Sessions").click()
    expect(page.locator(".sessions tbody tr")).to_have_count(1)
    found += violations_in_both_schemes(page)
    page.get_by_role("link", name=re.compile("^Replay of")).click()
    expect(page.locator(".step").first).to_be_visible()
    for step in range(page.locator(".step").count()):
        page.locator(".step").nth(step).click()
        found += violations_in_both_schemes(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    page.get_by_role("button", name="Exclude…").click()
    found += violations_in_both_schemes(page)
    context.close()
    assert (found, width <= 1024) == ([], True)
