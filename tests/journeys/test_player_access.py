"""Every screen, looked at by axe-core in light and in dark: no serious or critical violation."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage, served, visiting
from tests.journeys.player_study import player_study
from tests.journeys.spoken_pages import spoken, unsaid
from understudy.schema import Study

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules whose result a colour scheme can change."""


def violations(page: Page, *rules: str) -> list[str]:
    """Return what axe finds, by all rules or by the named ones."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found: dict[str, Any] = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    ]


def violations_in_both_schemes(page: Page) -> list[str]:
    """Return what axe finds in light, and what the colours of the dark scheme add to it."""
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    found += [f"dark: {fault}" for fault in violations(page, *OF_COLOURS)]
    page.emulate_media(color_scheme="light")
    return found


def test_no_screen_shuts_anybody_out(film_stage: Stage, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(film_stage.address)
    hands = Hands(page)
    found: list[str] = []

    def look(task: str) -> None:
        found.extend(f"{task}: {fault}" for fault in [*violations_in_both_schemes(page), *unsaid(spoken(page))])
        if task == "questionnaire":
            page.click(".card .primary")
            found.extend(f"{task} with faults: {fault}" for fault in violations_in_both_schemes(page))

    hands.play(look)
    look("end")
    context.close()
    assert found == []


def test_no_dialog_shuts_anybody_out(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page)
    while page.get_by_role("button", name="Show again").count() == 0:
        hands.answer()
        hands.go_on()
        hands.task()
    found: list[str] = []
    for button, way_back in (("Stop", "Continue the study"), ("Show again", "Close")):
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_role("button", name=way_back)).to_be_visible()
        found.extend(f"{button}: {fault}" for fault in violations(page))
        page.get_by_role("button", name=way_back).click()
    assert found == []


class Screens(NamedTuple):
    """What each screen of a session in a small window had: the tag of what is focused, and its width."""

    focused: list[str]
    widths: list[int]


@pytest.fixture(scope="module")
def small_screens(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Screens:
    seen = Screens([], [])
    with served(player_study(), tmp_path_factory.mktemp("small")) as stage, visiting(browser) as context:
        page = context.new_page()
        page.set_viewport_size({"width": 1024, "height": 640})
        page.goto(stage.address)

        def look(_: str) -> None:
            seen.focused.append(page.evaluate("document.activeElement.tagName"))
            seen.widths.append(page.evaluate("document.documentElement.scrollWidth"))

        Hands(page).play(look)
    return seen


def test_each_new_screen_is_announced_by_its_heading(small_screens: Screens) -> None:
    assert set(small_screens.focused) == {"H1"}


def test_nothing_is_wider_than_a_small_window(small_screens: Screens) -> None:
    assert max(small_screens.widths) <= 1024


def test_every_card_fills_a_narrow_window(stage: Stage, page: Page) -> None:
    page.goto(stage.address)
    hands = Hands(page)
    hands.play(until="instructions")
    page.set_viewport_size({"width": 390, "height": 664})
    gaps: set[int] = set()
    hands.play(lambda _: gaps.add(page.evaluate("innerWidth - document.querySelector('.stage .card').offsetWidth")))
    assert gaps == {24}


def test_a_word_wider_than_a_phone_is_broken(tmp_path: Path, page: Page) -> None:
    plain = player_study().model_dump(mode="json")
    word = "x" * 90
    plain["flow"][0]["task"]["params"]["text"] = f"Read https://lab.example/{word} first."
    plain["flow"][3]["task"]["params"]["questions"][0]["options"][2] = word
    page.set_viewport_size({"width": 1024, "height": 640})
    with served(Study.model_validate(plain), tmp_path) as stage:
        page.goto(stage.address)
        hands = Hands(page, n_wrong=0)
        widths: list[int] = []

        def measured(_: str) -> None:
            page.set_viewport_size({"width": 390, "height": 664})
            widths.append(page.evaluate("document.documentElement.scrollWidth"))
            page.set_viewport_size({"width": 1024, "height": 640})

        hands.play(measured, until="judge")
    assert max(widths) <= 390
