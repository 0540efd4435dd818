"""Whole sessions in a real browser, through the real server."""

import json
import re

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.journeys.player_hands import RIGHT, Hands
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import PATIENCE_MS, Stage
from understudy.actions.serve import built_front_end
from understudy.schema import GateDecided, Interacted, ResponseGiven, SessionEnded
from understudy.simulate.browser import LAYOUT_FAULT

FIRST_SCREEN_BYTES = 300_000
SCREENS = [
    "consent", "device_check", "video", "instructions", "instructions", "questionnaire", "instructions", "instructions",
    "questionnaire", "judge", "judge", "judge", "judge", "questionnaire", "feedback", "debrief",
]  # fmt: skip


def outcomes(stage: Stage) -> list[str]:
    return [event.outcome for event in stage.events() if isinstance(event, SessionEnded)]


def gates(stage: Stage) -> list[bool]:
    return [event.is_passed for event in stage.events() if isinstance(event, GateDecided)]


def responses(stage: Stage) -> list[ResponseGiven]:
    return [event for event in stage.events() if isinstance(event, ResponseGiven)]


def actions(stage: Stage) -> list[str]:
    return [event.action for event in stage.events() if isinstance(event, Interacted)]


def test_a_person_goes_from_consent_over_a_failed_check_to_the_code(film_stage: Stage, page: Page) -> None:
    page.goto(film_stage.address)
    hands = Hands(page)
    hands.play()
    assert hands.seen == SCREENS
    assert re.fullmatch(r"[A-Z0-9]{8}", page.inner_text(".code"))
    assert gates(film_stage) == [False, True]
    assert outcomes(film_stage) == ["completed"]


def test_a_phone_is_enough_from_consent_to_the_code_in_german(german_stage: Stage, browser: Browser) -> None:
    phone = browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, reduced_motion="reduce"
    )
    page = phone.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(german_stage.address)
    hands = Hands(page)
    headings: set[str] = set()
    faults: list[str] = []

    def look(task: str) -> None:
        headings.add(hands.heading())
        fault = page.evaluate(LAYOUT_FAULT)
        faults.extend([f"{task}: {fault}"] if fault else [])

    hands.play(look, until="device_check")
    look("device_check")
    (way_on,) = page.locator(".card .actions .button:visible").all()
    assert way_on.inner_text() == "Auf diesem Gerät weitermachen"
    way_on.tap()
    page.wait_for_selector(".stage[data-task=instructions] h1")
    hands.play(look)
    look("end")
    assert faults == []
    assert {
        "Anleitung",
        "Verständnisfragen",
        "Beispiel 1 von 2",
        "Fall 2 von 2",
        "Ihr Ergebnis",
        "Vielen Dank!",
    } <= headings
    assert page.evaluate("document.documentElement.lang") == "de"
    expect(page.locator(".pay")).to_contain_text("Sie erhalten 2,00")
    expect(page.locator(".code-box .hint")).to_contain_text("geben Sie ihn dort ein, wo Sie sich angemeldet haben")
    assert outcomes(german_stage) == ["completed"]
    # People who are not let in read it in the study's language, too, whatever their browser speaks.
    page.goto(f"{german_stage.address}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}")
    expect(page.locator(".stage h1")).to_have_text("Dieser Link ist nicht vollständig")
    phone.close()


def test_a_film_watched_to_its_end_says_so(film_stage: Stage, page: Page) -> None:
    page.goto(film_stage.address)
    Hands(page).play(until="instructions")
    assert responses(film_stage)[-1].response == {"watched_share": 1}


def test_a_film_that_must_end_keeps_the_way_on_closed(film_stage: Stage, page: Page) -> None:
    page.goto(film_stage.address)
    hands = Hands(page)
    hands.play(until="video")
    page.click(".card .primary")
    expect(page.locator(".card .status")).to_have_text("Please watch the video to the end first.")
    assert hands.task() == "video"


def test_the_same_goes_by_keyboard_alone(film_stage: Stage, page: Page) -> None:
    page.goto(film_stage.address)
    Keys(page).play()
    assert outcomes(film_stage) == ["completed"]
    assert gates(film_stage) == [False, True]


def test_a_second_failed_check_ends_kindly_and_with_part_of_the_pay(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page, n_wrong=2)
    hands.play()
    assert hands.heading() == "Thank you for your time"
    expect(page.locator(".stage")).to_contain_text("The study ends here for you. Thank you for trying.")
    expect(page.locator(".pay")).to_have_text("You receive $0.50.")


def test_who_does_not_agree_is_let_go(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    page.get_by_role("button", name="I do not agree").click()
    expect(page.get_by_role("heading", name="No problem")).to_be_visible()
    assert outcomes(stage) == ["declined"]


def stop_in_the_middle(stage: Stage, page: Page, choice: str) -> None:
    page.goto(stage.address)
    Hands(page).play(until="judge")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name=choice).click()


def test_who_stops_and_erases_leaves_nothing_but_a_count(short_stage: Stage, page: Page) -> None:
    stop_in_the_middle(short_stage, page, "Stop and erase my data")
    page.get_by_role("button", name="Yes, erase everything").click()
    expect(page.get_by_role("heading", name="Your data has been erased")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Your data has been erased")).to_be_visible()
    assert short_stage.events() == []


def test_who_stops_keeps_what_was_sent(short_stage: Stage, page: Page) -> None:
    stop_in_the_middle(short_stage, page, "Stop and keep my answers")
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()
    assert outcomes(short_stage) == ["withdrew"]


def test_earlier_material_is_within_reach_and_every_look_is_told(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page)
    while page.locator("[data-question=prediction]").count() == 0:
        hands.answer()
        hands.go_on()
        hands.task()
    page.get_by_role("button", name="Show again").click()
    expect(page.locator("dialog")).to_contain_text("A model reads four figures")
    page.get_by_role("button", name="Close").click()
    hands.answer()
    hands.go_on()
    assert [action for action in actions(stage) if "reference" in action] == ["reference_opened", "reference_closed"]


def test_unanswered_questions_are_named_and_nothing_is_sent(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page)
    hands.play(until="questionnaire")
    n_before = len(responses(stage))
    page.click(".card .primary")
    expect(page.get_by_role("alert")).to_have_text("One question still needs your attention.")
    assert len(responses(stage)) == n_before


def test_the_back_button_changes_nothing(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page)
    hands.play(until="questionnaire")
    page.go_back()
    assert hands.task() == "questionnaire"
    hands.choose(RIGHT)
    hands.go_on()
    assert hands.task() == "judge"


def test_the_page_breaks_no_rule_of_its_own_policy(stage: Stage, context: BrowserContext) -> None:
    page = context.new_page()
    page.emulate_media(reduced_motion="no-preference")
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(stage.address)
    Hands(page).play()
    assert told == []


def test_the_first_screen_is_light() -> None:
    build = json.loads((built_front_end() / "BUILD.json").read_text())
    assert build["gzip_bytes"]["player"] < FIRST_SCREEN_BYTES
