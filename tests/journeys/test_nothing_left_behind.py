"""What the browser keeps of a person: all that waits while they take part, and nothing once they have stopped."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage
from understudy.schema import TrialShown

WORDS = "Mossy wall clock, which nobody else writes"
KEPT = """async () => {
  const answered = (request) => new Promise((resolve) => request.onsuccess = () => resolve(request.result));
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await answered(indexedDB.open(name));
    for (const store of database.objectStoreNames)
      found.push(...await answered(database.transaction(store).objectStore(store).getAll()));
    database.close();
  }
  // The token is no data: it tells people who come back that their session is over.
  const tab = Object.entries(sessionStorage).filter(([key]) => !key.startsWith('understudy:token:'));
  return [...found, ...tab, ...Object.entries(localStorage)].map((one) => JSON.stringify(one));
}"""

LEFT_WAITING = """() => {
  const [, token] = Object.entries(sessionStorage).find(([key]) => key.startsWith('understudy:token:'));
  sessionStorage[`understudy-waiting:${token.split('.')[0]}`] = '[]';
}"""


def write_about_it(hands: Hands) -> None:
    """Go to the long questionnaire and write something that the server does not get."""
    hands.task()
    while hands.page.locator("[data-question=why]").count() == 0:
        hands.answer()
        hands.go_on()
        hands.task()
    page = hands.page
    page.route("**/events", lambda route: route.abort())
    page.fill("[data-question=why] textarea", WORDS)
    page.wait_for_function(f"async () => (await ({KEPT})()).join().includes({json.dumps(WORDS)})")


@pytest.mark.parametrize("does_erase", [True, False])
def test_somebody_who_stops_leaves_nothing_in_the_browser(stage: Stage, page: Page, does_erase: bool) -> None:
    page.goto(stage.address)
    write_about_it(Hands(page, n_wrong=0))
    # As when the tab is left while the database is at work, and found again.
    page.evaluate(LEFT_WAITING)
    page.get_by_role("button", name="Stop", exact=True).click()
    if does_erase:
        page.get_by_role("button", name="Stop and erase my data").click()
        page.get_by_role("button", name="Yes, erase everything").click()
    else:
        page.unroute("**/events")
        page.get_by_role("button", name="Stop and keep my answers").click()
    expect(page.locator(".dialog")).to_have_count(0)
    expect(page.locator(".stage .message")).to_be_visible()
    page.wait_for_function(f"async () => (await ({KEPT})()).length === 0")
    page.reload()
    expect(page.locator(".stage .message:not(.is-loading)")).to_be_visible()
    assert page.evaluate(KEPT) == []


def test_half_a_matrix_and_half_a_number_outlive_a_reload(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.task()
    while page.locator("[data-question=why]").count() == 0:
        hands.answer()
        hands.go_on()
        hands.task()
    page.locator("[data-question=trust] .row").nth(1).locator(".point").nth(3).click()
    page.locator("[data-question=load] input[type=range]").first.press("ArrowRight")
    page.fill("[data-question=age] input", "4o")
    page.reload()
    hands.task()
    expect(page.locator("[data-question=trust] .row").nth(1).locator("input").nth(3)).to_be_checked()
    expect(page.locator("[data-question=load] .track:not(.is-unset)")).to_have_count(1)
    expect(page.locator("[data-question=age] input")).to_have_value("4o")


FEW_FRAMES = """
  const soon = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => window.setTimeout(() => soon(draw), 400);
  window.cancelAnimationFrame = window.clearTimeout.bind(window);
"""
"""A browser that is slow to draw: a page can be used before it tells that it is shown."""


def test_what_is_done_before_a_page_has_told_that_it_is_shown_outlives_a_reload(short_stage: Stage, page: Page) -> None:
    page.add_init_script(FEW_FRAMES)
    page.goto(short_stage.address)
    page.get_by_role("button", name="I agree", exact=True).click()
    hands = Hands(page)
    hands.option("repaid").locator("input").wait_for()
    hands.choose("repaid")
    shown = [event for event in short_stage.events() if isinstance(event, TrialShown)]
    page.reload()
    hands.option("repaid").locator("input").wait_for()
    expect(hands.option("repaid").locator("input")).to_be_checked()
    assert len(shown) == 1
