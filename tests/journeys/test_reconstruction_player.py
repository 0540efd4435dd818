"""Live models in the browser: solved by mouse and by keyboard, left and come back to, skipped, and drawn again."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.journeys.dials_hands import DialHands, DialKeys, DialMouse, told
from tests.journeys.dials_study import dials_study
from tests.journeys.player_stage import Stage, StageOf, served, visiting
from tests.journeys.static_site import hosted
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.journeys.test_replay import OTHER, SAME, go_to, opened
from understudy.actions.casts import cast_from
from understudy.actions.rehearse import BrowserOptions, rehearse_in_browser
from understudy.actions.run_folder import existing_run, new_run
from understudy.inference import shipped_decoder
from understudy.registry import create
from understudy.roles import Distance
from understudy.schema import Interacted, Ref, ResponseGiven

MINUTE_MS = 60_000


@pytest.fixture
def dials(stage_of: StageOf) -> Stage:
    """The whole study: practice with every control, then two Sinelines."""
    return stage_of(dials_study())


@pytest.fixture
def lines(stage_of: StageOf) -> Stage:
    """Two Sinelines that can be named, without practice."""
    return stage_of(dials_study(with_practice=False, labels=True))


@pytest.fixture(scope="module")
def solved_lines(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Stage]:
    """The same, solved by somebody, for tests of what is left behind."""
    study = dials_study(with_practice=False, labels=True)
    with served(study, tmp_path_factory.mktemp("solved")) as made:
        with visiting(browser) as context:
            at_the_first_line(context.new_page(), made).play()
        yield made


def at_the_first_line(page: Page, stage: Stage) -> DialHands:
    page.goto(stage.address)
    hands = DialHands(page, stage)
    hands.play(until="reconstruct")
    hands.drawn()
    return hands


def outcomes(stage: Stage) -> list[str]:
    given = [
        event.response["dials"]
        for event in stage.events()
        if isinstance(event, ResponseGiven) and "dials" in event.response
    ]
    return [str(one["outcome"]) for one in given if isinstance(one, dict)]


def said_in_replay(page: Page, stage: Stage) -> list[str]:
    """Read what the replay says of each live question at the moment of its answer."""
    said: list[str] = []
    for place, event in enumerate(stage.events()):
        if isinstance(event, ResponseGiven) and "dials" in event.response:
            go_to(page, place)
            expect(page.locator(".agreement")).not_to_be_empty()
            said.append(page.inner_text(".agreement"))
    return said


def test_a_mouse_solves_every_question_and_the_replay_ends_in_the_same_pictures(dials: Stage, page: Page) -> None:
    page.goto(dials.address)
    DialMouse(page, dials).play()
    assert outcomes(dials) == ["solved"] * 7
    opened(page, dials)
    assert said_in_replay(page, dials) == [SAME] * 7


def test_a_replay_of_other_dials_differs(solved_lines: Stage, page: Page) -> None:
    def forge(route: Route) -> None:
        record: Any = route.fetch().json()
        for event in record["events"]:
            if "dials" in event.get("response", {}):
                event["response"]["dials"]["code"][1] += 0.5
        route.fulfill(body=json.dumps(record), content_type="application/json")

    page.route(re.compile("/sessions/[^/?]+$"), forge)
    opened(page, solved_lines)
    assert said_in_replay(page, solved_lines) == [OTHER] * 2


def test_everything_can_be_done_by_keyboard(dials: Stage, page: Page) -> None:
    page.goto(dials.address)
    DialKeys(page, dials).play()
    assert outcomes(dials) == ["solved"] * 7


def test_each_question_is_logged_from_its_start_to_its_match(solved_lines: Stage) -> None:
    first = told(solved_lines, "question_started")[0]
    solved, finished = told(solved_lines, "solved"), told(solved_lines, "finished")
    changed = told(solved_lines, "changed")
    assert (first["t_ms"], first["widths"][0], first["kinds"][4], first["distance"]) == (
        0,
        2,
        "periodic",
        "tolerance_band",
    )
    assert [one["code"] for one in solved] == [one["code"] for one in finished]
    assert all(
        one in [(known["t_ms"], known["code"]) for known in changed] for one in [(k["t_ms"], k["code"]) for k in solved]
    )
    assert {one["dir"] for one in changed} <= {-1, 1}


def test_python_judges_every_logged_picture_as_the_page_did(solved_lines: Stage) -> None:
    decoder, key = shipped_decoder("sinelines-gt"), existing_run(solved_lines.folder).prepared.key
    distance: Distance = create("distances", Ref(name="tolerance_band"))
    logged = [
        event
        for event in solved_lines.events()
        if isinstance(event, Interacted) and event.action in ("changed", "solved")
    ]
    verdicts: list[tuple[bool, bool]] = []
    for one in logged:
        code: Any = one.payload["code"]
        target = decoder.decode(np.array([json.loads(str(key.truth[one.trial_id]["target_code"]))]))[0]
        agreement = float(distance.agreement(decoder.decode(np.array([code])), target)[0])
        assert one.payload["agreement"] == pytest.approx(agreement, abs=1e-3)
        if one.action == "changed":
            at = (one.trial_id, one.payload["t_ms"])
            is_solved = at in [(k.trial_id, k.payload["t_ms"]) for k in logged if k.action == "solved"]
            verdicts.append((is_solved, agreement >= 0.9 - 0.001))
    assert all(page_says == python_says for page_says, python_says in verdicts)
    assert sum(page_says for page_says, _ in verdicts) == 2


def test_dials_lock_when_the_match_is_found(lines: Stage, page: Page) -> None:
    at_the_first_line(page, lines).solve()
    expect(page.locator("input.dial:enabled")).to_have_count(0)
    expect(page.locator(".meter-words")).to_contain_text("Matched")
    expect(page.locator(".card .primary")).to_be_focused()


def test_the_overlay_is_offered_by_what_a_press_does_and_by_nothing_else(lines: Stage, page: Page) -> None:
    at_the_first_line(page, lines)
    toggle = page.get_by_role("button", name=re.compile("^(Show the target on top|Show side by side)$"))
    assert "pressed" not in toggle.aria_snapshot()


def test_a_reload_finds_dials_names_and_target_as_they_were_and_the_clock_stopped(lines: Stage, page: Page) -> None:
    page.clock.install()
    hands = at_the_first_line(page, lines)
    hands.turn(1, 400)
    page.click(".gallery button")
    page.locator("input.dial-name").first.fill("height")
    hands.turn(2, 100)
    page.clock.run_for(600)
    before = standing(page)
    page.goto("about:blank")
    page.clock.fast_forward(10 * MINUTE_MS)
    page.goto(lines.address)
    hands.drawn()
    assert standing(page) == before
    last = told(lines, "changed")[-1]["t_ms"]
    hands.turn(3, 100)
    hands.play()
    later = next(one["t_ms"] for one in told(lines, "changed") if one["dial"] == 3)
    given = next(event for event in lines.events() if isinstance(event, ResponseGiven) and "dials" in event.response)
    assert last < later < last + MINUTE_MS
    assert given.rt_ms < MINUTE_MS


def standing(page: Page) -> dict[str, Any]:
    """Read where everything stands."""
    found: dict[str, Any] = page.evaluate("""() => ({
      dials: [...document.querySelectorAll('input.dial')].map((one) => one.value),
      names: [...document.querySelectorAll('input.dial-name')].map((one) => one.value),
      pressed: document.querySelector('.gallery button').ariaPressed,
      words: document.querySelector('.meter-words').innerText,
      line: document.querySelector('.frame.is-own .curve').getAttribute('d'),
    })""")
    return found


def test_a_name_given_to_a_dial_stays_in_the_next_question(lines: Stage, page: Page) -> None:
    hands = at_the_first_line(page, lines)
    page.locator("input.dial-name").first.fill("slope")
    hands.solve()
    hands.go_on()
    expect(page.locator("input.dial-name").first).to_have_value("slope")
    assert [one["label"] for one in told(lines, "labelled")] == ["slope"]


def test_a_name_stays_in_the_next_question_after_a_reload_too(lines: Stage, page: Page) -> None:
    hands = at_the_first_line(page, lines)
    page.locator("input.dial-name").first.fill("slope")
    page.locator("input.dial-name").first.blur()
    page.reload()
    expect(page.locator("input.dial-name").first).to_have_value("slope")
    hands.solve()
    hands.go_on()
    expect(page.locator("input.dial-name").first).to_have_value("slope")


def test_names_of_dials_leave_the_computer_with_the_session(lines: Stage, page: Page) -> None:
    at_the_first_line(page, lines)
    page.locator("input.dial-name").first.fill("slope")
    page.locator("input.dial-name").first.blur()
    kept = "() => Object.keys(sessionStorage).filter((key) => key.startsWith('understudy:labels:')).length"
    assert page.evaluate(kept) == 1
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Stop and erase my data").click()
    page.get_by_role("button", name="Yes, erase everything").click()
    expect(page.get_by_role("heading", name="Your data has been erased")).to_be_visible()
    assert page.evaluate(kept) == 0


def test_a_question_can_be_skipped_after_enough_time_at_work(lines: Stage, page: Page) -> None:
    page.clock.install()
    hands = at_the_first_line(page, lines)
    skip = page.get_by_role("button", name="Skip, no penalty")
    page.clock.run_for(5 * MINUTE_MS)
    expect(skip).to_be_hidden()
    # As in the paper, nobody sees the seconds run down.
    expect(page.locator(".stage")).not_to_contain_text("You can skip this picture")
    for turn in range(14):
        page.mouse.move(300 + turn, 300)
        page.clock.run_for(2_500)
    expect(skip).to_be_visible()
    page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
    skip.click()
    page.wait_for_selector(".card[data-mark=old]", state="detached")
    hands.play()
    assert outcomes(lines) == ["skipped", "solved"]
    opened(page, lines)
    assert said_in_replay(page, lines) == [SAME] * 2


def test_pauses_do_not_count_on_the_clock_of_the_original(tmp_path: Path, page: Page) -> None:
    page.clock.install()
    with served(dials_study(with_practice=False, clock="legacy", skip_after_s=2, countdown=True), tmp_path) as stage:
        at_the_first_line(page, stage)
        dial = page.locator("input.dial").first
        skip = page.get_by_role("button", name="Skip, no penalty")
        for _ in range(4):
            page.clock.run_for(5_000)
            dial.press("ArrowRight")
        expect(skip).to_be_hidden()
        left = "You can skip this picture after 2 more seconds of trying. Pauses do not count."
        expect(page.locator(".skip-in")).to_have_text(left)
        for _ in range(3):
            page.clock.run_for(1_000)
            dial.press("ArrowRight")
        expect(skip).to_be_visible()


def test_a_model_that_does_not_come_is_asked_for_again_and_nothing_is_lost(lines: Stage, page: Page) -> None:
    page.route(re.compile(r"\.onnx$"), lambda route: route.abort())
    page.clock.install()
    page.goto(lines.address)
    hands = DialHands(page, lines)
    hands.go_on()
    page.clock.run_for(5_000)
    page.get_by_role("button", name="Continue anyway").click()
    fault = page.locator(".dial-fault")
    expect(fault).to_be_visible()
    page.unroute(re.compile(r"\.onnx$"))
    fault.get_by_role("button").click()
    hands.drawn()
    expect(fault).to_be_hidden()
    hands.play()
    assert outcomes(lines) == ["solved"] * 2


def test_no_live_page_shuts_anybody_out_or_outgrows_a_small_window(dials: Stage, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(dials.address)
    hands = DialHands(page, dials)
    found: list[str] = []
    heights: list[int] = []

    def look(task: str) -> None:
        if task == "reconstruct":
            hands.drawn()
            heights.append(page.evaluate("document.documentElement.scrollHeight"))
            found.extend(violations_in_both_schemes(page))
            hands.solve()
            found.extend(violations_in_both_schemes(page))

    hands.play(look)
    context.close()
    assert (found, max(heights)) == ([], 640)


def test_the_runtime_comes_only_where_a_model_is_live_and_while_people_read(lines: Stage, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_response(re.compile(r"\.wasm$")) as got:
        page.goto(lines.address)
        DialHands(page, lines).task()
    assert (page.inner_text(".stage h1"), got.value.headers["content-encoding"]) == ("Turn the dials", "gzip")
    assert "immutable" in got.value.headers["cache-control"]


def test_a_folder_without_a_server_has_live_models_too(tmp_path: Path, page: Page) -> None:
    with hosted(tmp_path, study=dials_study(with_practice=False, skip_after_s=0)) as site:
        page.goto(site.address)
        page.get_by_role("button", name="I agree", exact=True).click()
        page.wait_for_selector(".gallery:not([aria-busy])")
        before = standing(page)["line"]
        page.locator("input.dial").nth(1).press("PageUp")
        page.wait_for_selector(".gallery:not([aria-busy])")
        assert standing(page)["line"] != before
        for _ in range(2):
            page.get_by_role("button", name="Skip, no penalty").click()
        page.get_by_role("button", name="Finish").click()
        expect(page.get_by_role("button", name="Save my answers")).to_be_visible()


@pytest.mark.usefixtures("browser")
def test_a_rehearsal_in_the_browser_turns_real_dials(tmp_path: Path) -> None:
    run = new_run(dials_study(with_practice=False, skip_after_s=1), tmp_path, tmp_path / "run")
    cast = cast_from("careful", run.script.study)
    found = rehearse_in_browser(run, cast, BrowserOptions(n_people=2, seed=3), environment=os.environ)
    assert (list(found.faults), found.outcomes) == ([], {"completed": 2})
