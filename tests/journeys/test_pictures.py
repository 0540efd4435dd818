"""Pictures in the browser: heat maps and grids as participants see them, and a clock that waits for the last one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.journeys.picture_study import (
    Shown,
    address,
    heatmap,
    layer,
    photo,
    picture_study,
    pictures_served,
    with_grid,
    with_heatmap,
)
from tests.journeys.player_stage import Stage, visiting
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.journeys.test_replay import SAME, agreements, opened
from understudy.schema import Interacted, ResponseGiven, TrialShown


def of_classes(*labels: str, **display: Any) -> Shown:
    content = photo()
    places = [(0.3, 0.6), (0.8, 0.2), (0.5, 0.5), (0.1, 0.1)]
    layers = [layer(label, *place) for label, place in zip(labels, places, strict=False)]
    return Shown(heatmap(content, layers), display, {"image": address(content)}, (content,))


def photo_and_map() -> Shown:
    files = (photo(), photo(sun=0.2))
    content = {"photo": address(files[0]), "map": address(files[1]), "model_says": "house"}
    return Shown(None, {}, content, files)


SHOWN = {
    "heat map": with_heatmap(),
    "signed heat map": with_heatmap(is_signed=True),
    "overlay": with_heatmap(layout="overlay", lets_change_opacity=True),
    "four classes": of_classes("sparrow", "owl", "kestrel", "wren"),
    "10 x 5 grid": with_grid(10, 5),
    "5 x 10 grid": with_grid(5, 10),
    "photo and map": photo_and_map(),
    "regions": with_grid(2, 3, has_regions=True),
}


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("gallery")
    with pictures_served(picture_study(len(SHOWN)), list(SHOWN.values()), folder) as stage:
        yield stage


def begin(page: Page, stage: Stage) -> None:
    page.goto(stage.address)
    page.get_by_role("button", name="I agree", exact=True).click()


def reach(page: Page, name: str) -> None:
    """Answer every case before the one of this name."""
    for place in range(list(SHOWN).index(name)):
        expect(page.locator(".stage h1")).to_have_text(f"Case {place + 1} of {len(SHOWN)}")
        answer(page)
    expect(page.locator(".stage h1")).to_have_text(f"Case {list(SHOWN).index(name) + 1} of {len(SHOWN)}")


def answer(page: Page) -> None:
    page.locator(".option").first.click()
    page.locator(".card .primary").click()


def tells_shown(request: Request, *, case: int) -> bool:
    """Whether this request says that a case was painted; the consent page comes before the first."""
    events = json.loads(request.post_data or "{}").get("events", [])
    return any((event["type"], event["step"]) == ("trial_shown", case) for event in events)


def actions(stage: Stage) -> list[tuple[str, dict[str, Any]]]:
    return [(event.action, dict(event.payload)) for event in stage.events() if isinstance(event, Interacted)]


def test_the_clock_starts_when_the_last_picture_is_painted(page: Page, tmp_path: Path) -> None:
    # The item has no picture, so that only the explanation names the file.
    shown = with_heatmap(layout="overlay")._replace(content={})
    with pictures_served(picture_study(1), [shown], tmp_path) as stage:
        held: list[Route] = []
        released_ms: list[float] = []
        page.route(
            f"**/{address(shown.files[0])}", lambda route: route.continue_() if released_ms else held.append(route)
        )
        begin(page, stage)
        page.wait_for_selector(".loading h1")
        seen_before = page.locator(".stage").inner_text()
        is_drawn_before = page.locator(".heatmap, .item, .asked").count()
        n_shown_before = sum(isinstance(event, TrialShown) for event in stage.events())
        released_ms.append(page.evaluate("Date.now()"))
        for route in held:
            route.continue_()
        page.wait_for_selector(".heatmap canvas")
        answer(page)
        page.get_by_text("Thank you for taking part.").wait_for()
        given = next(
            event for event in stage.events() if isinstance(event, ResponseGiven) and "guess" in event.response
        )
        [told] = [
            event for event in stage.events() if isinstance(event, TrialShown) and event.trial_id == given.trial_id
        ]
    assert (seen_before.split("\n")[0], is_drawn_before, n_shown_before) == ("Loading", 0, 1)
    assert released_ms[0] < told.at_ms
    assert given.rt_ms < given.at_ms - released_ms[0]


def test_a_picture_that_never_comes_is_asked_about_and_can_be_tried_again(page: Page, tmp_path: Path) -> None:
    shown = with_heatmap()
    with pictures_served(picture_study(1), [shown], tmp_path) as stage:
        page.route(f"**/{address(shown.files[0])}", lambda route: route.abort())
        begin(page, stage)
        page.get_by_text("One file did not load.").wait_for()
        page.unroute(f"**/{address(shown.files[0])}")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".item img")).to_be_visible()


def test_pictures_shut_nobody_out_and_fit_the_window(gallery: Stage, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    begin(page, gallery)
    found: list[str] = []
    for name in SHOWN:
        expect(page.locator(".stage h1")).to_have_text(f"Case {list(SHOWN).index(name) + 1} of {len(SHOWN)}")
        width = page.evaluate("document.documentElement.scrollWidth")
        widest = page.evaluate(
            "Math.max(0, ...[...document.querySelectorAll('.picture-grid')].map(e => e.scrollWidth - e.clientWidth))"
        )
        found += [f"{name}: {violation}" for violation in violations_in_both_schemes(page)]
        found += [f"{name}: {width} wide"] if width > 1024 or widest > 1 else []
        # What is compared lies side by side, and what the question is about is above the fold.
        bottoms = page.locator(".pictures img, .pictures ~ .values").evaluate_all(
            "parts => parts.map((part) => part.getBoundingClientRect().bottom)"
        )
        found += [f"{name}: down to {bottoms}"] if bottoms and (bottoms[0] != bottoms[1] or bottoms[2] > 640) else []
        answer(page)
    context.close()
    assert found == []


def test_the_opacity_is_changed_by_keyboard_and_kept_over_a_reload(gallery: Stage, page: Page) -> None:
    begin(page, gallery)
    # Before the trial counts as shown its pictures may be hidden, and a hidden slider takes no key.
    with page.expect_request(lambda request: tells_shown(request, case=3)):
        reach(page, "overlay")
    slider = page.get_by_label("Opacity of the map")
    slider.press("ArrowLeft")
    page.reload()
    expect(slider).to_have_value("55")
    assert ("opacity_changed", {"opacity": 0.55}) in actions(gallery)


def test_a_picture_of_a_grid_opens_by_keyboard_and_the_look_is_told(gallery: Stage, page: Page) -> None:
    begin(page, gallery)
    reach(page, "regions")
    page.locator(".grid-picture").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Series 2, Score 2").get_by_text("house")).to_be_visible()
    page.keyboard.press("ArrowRight")
    # The words below the enlarged picture are those of the grid.
    expect(page.locator("dialog figcaption")).to_have_text("1.0. Series 2, Score 3")
    expect(page.locator("dialog").get_by_text("Picture 6 of 6")).to_be_visible()
    expect(page.get_by_role("button", name="Next picture")).to_be_disabled()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    answer(page)
    page.get_by_text("Thank you for taking part.").wait_for()
    looks = [(action, payload["column"]) for action, payload in actions(gallery) if action.startswith("picture_")]
    assert looks == [("picture_opened", 1), ("picture_closed", 1), ("picture_opened", 2), ("picture_closed", 2)]


def test_a_replay_draws_the_same_heat_maps_and_grids(tmp_path: Path, browser: Browser) -> None:
    shown = [SHOWN["overlay"], SHOWN["regions"]]
    with pictures_served(picture_study(len(shown)), shown, tmp_path) as stage, visiting(browser) as context:
        page = context.new_page()
        begin(page, stage)
        page.get_by_label("Opacity of the map").press("ArrowLeft")
        for _ in shown:
            answer(page)
        page.get_by_text("Thank you for taking part.").wait_for()
        page.locator(".card .primary").click()
        page.wait_for_selector(".message")
        opened(page, stage)
        assert agreements(page, stage) == [SAME] * (len(shown) + 2)
