"""Named researchers at the dashboard: what each role sees, and a day's work of one of them, on a wide screen and a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.player_stage import Stage, visiting
from tests.journeys.spoken_pages import spoken, unsaid
from tests.journeys.test_dashboard import played
from tests.journeys.test_player_access import violations
from understudy.record import desk_in
from understudy.serve.desk.researchers import Researchers

PASSWORD = "four quiet random words"


@pytest.fixture
def sign_in(stage: Stage) -> Callable[[Page, str], None]:
    """Accounts for an owner and a viewer, and the way to sign in with them."""
    accounts = Researchers(desk_in(stage.folder / "researchers.sqlite"))
    accounts.add("ada", "owner", PASSWORD)
    accounts.add("vic", "viewer", PASSWORD)

    def enter(page: Page, name: str) -> None:
        page.goto(f"{stage.address.partition('/s/')[0]}/admin")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Studies", level=1)).to_be_visible()

    return enter


def test_a_researcher_finds_pauses_labels_and_leaves_a_trace(
    stage: Stage, browser: Browser, page: Page, sign_in: Callable[[Page, str], None]
) -> None:
    played(stage)
    sign_in(page, "ada")
    expect(page.locator(".signed-in")).to_have_text("ada, owner")
    page.get_by_role("link", name="Sessions").click()
    expect(page.get_by_label("Participant link")).to_have_value(stage.address)
    page.get_by_label("Find id or code").fill("person-1")
    expect(page.locator(".place")).to_have_text("1 to 1 of 1")
    page.get_by_label("Find id or code").fill("person-2")
    expect(page.locator(".place")).to_have_text("No sessions.")
    page.get_by_role("button", name="Pause recruitment").click()
    expect(page.get_by_text("Recruitment is paused.")).to_be_visible()
    with visiting(browser) as other:
        late = other.new_page()
        late.goto(stage.address)
        expect(late.get_by_role("heading", name="The study is paused")).to_be_visible()
    page.get_by_role("button", name="Resume recruitment").click()
    page.get_by_role("link", name=re.compile("^Replay of")).click()
    page.get_by_label("Label", exact=True).fill("unsure")
    page.get_by_role("button", name="Add label").click()
    expect(page.locator(".labels")).to_have_text("unsure – the whole session, by ada")
    page.get_by_role("navigation", name="Back").get_by_role("link").click()
    page.get_by_role("link", name="Who did what").click()
    acts = page.locator("tbody td:nth-child(3)")
    wanted = ["labelled a session", "opened a session", "resumed recruitment", "paused recruitment", "signed in"]
    expect(acts).to_have_text(wanted)
    assert violations(page) + unsaid(spoken(page)) == []
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()


def test_a_viewer_on_a_phone_sees_where_people_are_and_changes_nothing(
    stage: Stage, browser: Browser, page: Page, sign_in: Callable[[Page, str], None]
) -> None:
    page.goto(stage.address)
    page.get_by_role("button", name="I agree").wait_for()
    with visiting(browser) as context:
        phone = context.new_page()
        phone.set_viewport_size({"width": 390, "height": 844})
        sign_in(phone, "vic")
        phone.get_by_role("link", name="Sessions").click()
        expect(phone.locator("[data-active]")).to_contain_text(
            re.compile(r"step 1 · consent.*last heard from \d+ s ago")
        )
        found = violations(phone) + unsaid(spoken(phone))
        widths = [phone.evaluate("document.documentElement.scrollWidth")]
        offered = phone.get_by_role("button", name="Pause recruitment").count()
        phone.get_by_role("link", name=re.compile("^Replay of")).click()
        expect(phone.locator(".step").first).to_be_visible()
        widths.append(phone.evaluate("document.documentElement.scrollWidth"))
        found += violations(phone) + unsaid(spoken(phone))
        assert phone.get_by_role("button", name="Exclude…").count() == 0
    assert (found, widths, offered) == ([], [390, 390], 0)
