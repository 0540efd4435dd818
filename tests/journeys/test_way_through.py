"""The way through a study: facts before consent, parts, breaks, a gate that teaches, feedback, and stopping for good."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.parted_study import parted
from tests.journeys.player_hands import Hands
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import PATIENCE_MS, SECRET, Stage, served
from understudy.schema import Interacted
from understudy.serve.access import Keyring

LOOKS = """all => all.map((button) => {
  const style = getComputedStyle(button);
  return [style.color, style.backgroundColor, style.borderColor, style.fontWeight].join();
})"""

# Everything that somebody can read or press on the page, but for the minutes left, which go on.
WHOLE_SCREEN = """() => {
  const text = (selector) => [...document.querySelectorAll(selector)].map((part) => part.innerText.trim()).join(' | ');
  const isSeen = (element) => element.checkVisibility({visibilityProperty: true});
  return {
    loading: document.querySelector('.is-loading, .is-unpainted') !== null,
    headings: [...document.querySelectorAll('h1')].filter(isSeen).length,
    cards: [...document.querySelectorAll('.card')].filter(isSeen).length,
    header: text('.top'), stage: text('.stage'), aside: text('.aside'), dialogs: text('dialog'),
    buttons: [...document.querySelectorAll('button, a.button')].filter(isSeen).map((button) => button.innerText),
  };
}"""
DRAWN = ".stage .card:not(.is-loading) h1"


def whole_screen(page: Page) -> dict[str, object]:
    """Read the whole screen once it is drawn."""
    page.locator(DRAWN).first.wait_for()
    page.wait_for_function(f"() => !({WHOLE_SCREEN})().loading")
    return dict(page.evaluate(WHOLE_SCREEN))


@pytest.fixture(scope="module")
def parted_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with served(parted(), tmp_path_factory.mktemp("parted")) as made:
        yield made


def by_keyboard(page: Page, label: str) -> None:
    """Press a button with the keyboard alone."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == label:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"{label!r} cannot be reached with Tab")


def share(page: Page) -> int:
    return int(page.get_attribute(".progress", "aria-valuenow") or 0)


def agree(page: Page) -> None:
    """Read the facts, see that neither answer is pushed, and agree by a hasty double click."""
    facts = page.locator(".consent-facts")
    expect(facts).to_contain_text("Institute of Testing")
    expect(facts).to_contain_text("About 6 minutes.")
    expect(facts).to_contain_text("€2.00 for taking part.")
    looks = page.locator(".card .actions .button").evaluate_all(LOOKS)
    assert len(looks) == 2
    assert len(set(looks)) == 1
    page.get_by_role("button", name="I agree", exact=True).dblclick()


def fail_the_check_once(page: Page) -> None:
    """Reread from the check page, answer wrongly, read again, find the question marked, and pass."""
    hands = Hands(page)
    expect(page.locator(".notice")).to_contain_text("You have 3 tries.")
    page.get_by_role("button", name="Show again").click()
    expect(page.locator("dialog")).to_contain_text("Please read this.")
    page.locator("dialog .primary").click()
    hands.choose("that")
    hands.go_on()
    expect(page.locator(".notice")).to_contain_text("Not all of your answers to the check questions were correct.")
    hands.go_on()
    expect(page.locator(".notice")).to_contain_text("One answer was not correct. The question is marked below.")
    expect(page.locator("[data-question=quiz] .was-wrong-note")).to_be_visible()
    hands.choose("this")
    hands.go_on()


def practise(page: Page) -> None:
    """Answer a practice case, and see the verdict while item and answer are still in sight."""
    Hands(page).choose("yes")
    page.click(".card > .actions .primary")
    expect(page.locator(".answer-feedback .notice")).to_contain_text("Your answer is")
    expect(page.locator("[data-question=guess]")).to_be_visible()
    expect(page.locator(".answer-feedback .primary")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer-feedback", state="detached")


def test_a_person_is_told_where_they_are_what_was_wrong_and_what_comes(parted_stage: Stage, page: Page) -> None:
    page.goto(f"{parted_stage.address}?participant_id=walker")
    agree(page)
    expect(page.locator(".announcement h1")).to_have_text("What to do")
    expect(page.locator(".announcement .eyebrow")).to_have_text("Part 1 of 2")
    expect(page.get_by_role("button", name="Take a break first")).to_have_count(0)
    seen = [share(page)]
    page.get_by_role("button", name="Begin this part").dblclick()
    expect(page.locator(".stage h1")).to_have_text("Instructions")
    Hands(page).go_on()
    fail_the_check_once(page)
    for _ in range(2):
        seen.append(share(page))
        practise(page)
    expect(page.locator(".announcement h1")).to_have_text("Predict, now for real")
    expect(page.locator(".where")).to_contain_text("Part 2 of 2: Predict, now for real")
    by_keyboard(page, "Take a break first")
    expect(page.locator(".announcement h1")).to_have_text("You are on a break")
    by_keyboard(page, "End the break")
    by_keyboard(page, "Begin this part")
    expect(page.locator(".stage h1")).to_have_text("Case 1 of 2")
    expect(page.locator(".notice")).to_have_count(0)
    seen.append(share(page))
    assert seen == sorted(seen)
    Hands(page).choose("yes")
    Hands(page).go_on()
    taken = [event.action for event in parted_stage.events() if isinstance(event, Interacted)]
    assert [action for action in taken if "break" in action] == ["break_started", "break_ended"]


def test_erasing_is_asked_twice_and_cannot_be_followed_by_another_start(parted_stage: Stage, page: Page) -> None:
    page.goto(f"{parted_stage.address}?PROLIFIC_PID=stopper")
    page.get_by_role("button", name="I agree", exact=True).click()
    page.get_by_role("button", name="Begin this part").wait_for()
    page.reload()
    page.get_by_role("button", name="Begin this part").wait_for()
    expect(page.locator(".is-loading")).to_have_count(0)
    page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.locator("dialog")
    dialog.get_by_role("button", name="Stop and erase my data").click()
    expect(dialog).to_contain_text("You will not receive a completion code, so we cannot pay you.")
    dialog.get_by_role("button", name="No, go back").click()
    expect(dialog).to_contain_text("Do you want to stop?")
    dialog.get_by_role("button", name="Stop and erase my data").click()
    dialog.get_by_role("button", name="Yes, erase everything").click()
    expect(page.locator(".stage h1")).to_have_text("Your data has been erased")
    expect(page.locator(".advice")).to_contain_text("On Prolific, please return your submission")
    page.reload()
    expect(page.locator(".stage h1")).to_have_text("You have erased your data")
    # A browser that holds nothing but the id hears what it would hear of a finished session.
    page.context.clear_cookies()
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.locator(".stage h1")).to_have_text("This id has already taken part")


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def check_by_keyboard(page: Page) -> None:
    """Open the instructions from the check and leave them with Escape, answer wrongly, read again, and pass."""
    keys = Keys(page)
    by_keyboard(page, "Show again")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert focused(page) == "Show again"
    keys.choose("that")
    keys.go_on()
    keys.go_on()
    expect(page.locator("[data-question=quiz] .was-wrong-note")).to_be_visible()
    keys.choose("this")
    keys.go_on()


def test_agreeing_the_check_and_stopping_need_no_mouse(parted_stage: Stage, page: Page) -> None:
    page.goto(f"{parted_stage.address}?PROLIFIC_PID=keys")
    page.locator(".stage h1").wait_for()
    by_keyboard(page, "I agree")
    expect(page.locator(".announcement h1")).to_be_focused()
    by_keyboard(page, "Begin this part")
    expect(page.locator(".stage h1")).to_have_text("Instructions")
    Keys(page).go_on()
    check_by_keyboard(page)
    by_keyboard(page, "Stop")
    dialog = page.locator("dialog")
    by_keyboard(page, "Stop and erase my data")
    by_keyboard(page, "No, go back")
    expect(dialog.get_by_role("heading", name="Do you want to stop?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert focused(page) == "Stop"
    page.keyboard.press("Enter")
    by_keyboard(page, "Stop and keep my answers")
    expect(page.locator(".stage .message h1")).to_be_focused()
    expect(page.locator(".code-box .hint")).to_have_text(
        "Enter it on Prolific as your completion code, so that you can be paid."
    )


def go_on_from(page: Page) -> None:
    """Answer what the page asks, wrongly once at the check, and leave it."""
    hands = Hands(page)
    if page.locator(".announcement").count():
        page.click(".announcement .primary")
        return
    if page.locator("[data-question=quiz]").count():
        hands.choose("this" if page.locator(".was-wrong-note").count() else "that")
    elif page.locator("[data-question=guess]").count():
        hands.choose("yes")
    hands.go_on()


def test_another_browser_shows_the_very_page_and_nothing_else(parted_stage: Stage, browser: Browser) -> None:
    # A link that proves whose it is: with an id alone, each browser would ask first.
    signature = Keyring(SECRET).link_signature(parted_stage.address.rpartition("/")[2], "mover")

    def opened() -> Page:
        made = browser.new_page(reduced_motion="reduce")
        made.set_default_timeout(PATIENCE_MS)
        made.goto(f"{parted_stage.address}?PROLIFIC_PID=mover&signature={signature}")
        return made

    page = opened()
    kinds: list[str] = []
    while True:
        screen = whole_screen(page)
        page.close()
        page = opened()
        kinds.append(str(screen["stage"]).splitlines()[0])
        # Before the server has answered, the first page of the study is there.
        page.wait_for_function("(kind) => document.querySelector('.stage').innerText.includes(kind)", arg=kinds[-1])
        found = whole_screen(page)
        assert found == screen
        assert (found["headings"], found["cards"]) == (1, 1)
        if page.locator(".stage .message").count():
            break
        go_on_from(page)
    page.close()
    assert {"Part 1 of 2", "Part 2 of 2", "Case 2 of 2", "Thank you!"} <= set(kinds)
