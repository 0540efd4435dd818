"""The researcher's preview and monitoring in Chromium: from the desk to a page, on by key and answer, nothing stored."""

import re

from playwright.sync_api import Page, expect

from tests.journeys.player_stage import Stage
from tests.journeys.test_dashboard import STUDY, Seen, played, sign_in


def test_pages_are_previewed_from_the_desk_and_nothing_is_stored(stage: Stage, page: Page) -> None:
    seen = Seen(page)
    played(stage)
    before = len(stage.events())
    sign_in(page, stage)
    root = stage.address.partition("/s/")[0]
    expect(page.get_by_role("link", name="Preview")).to_have_attribute("href", f"/preview/{STUDY}")
    page.goto(f"{root}/preview/{STUDY}")
    page.get_by_role("link", name=re.compile("onsent")).first.click()
    expect(page.get_by_text("Preview – nothing is stored")).to_be_visible()
    where = page.locator(".preview-where")
    expect(where).to_contain_text("Page 1 of")
    page.keyboard.press("n")
    expect(where).to_contain_text("Page 2 of")
    page.keyboard.press("p")
    page.get_by_label("Language").select_option("de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.goto(f"{root}/admin#/{STUDY}/monitor")
    expect(page.get_by_role("heading", name="Who stays")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Show the names of conditions")).click()
    page.get_by_label("Reason").fill("A page may be broken.")
    page.get_by_role("button", name="Show the names", exact=True).click()
    expect(page.get_by_text("A page may be broken.")).to_be_visible()
    assert (len(stage.events()), seen.complaints) == (before, [])
