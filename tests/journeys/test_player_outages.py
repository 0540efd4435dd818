"""Two minutes without a network, and clocks that jump: the participant goes on, and the log holds what the page recorded."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import Stage, served
from tests.journeys.player_study import player_study
from understudy.record.log import now_ms
from understudy.schema import Event, ResponseGiven, SessionEnded, SessionFlagged

CUT_MS = 120_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
JUMPS_MS = (6 * HOUR_MS, -3 * DAY_MS, 400 * DAY_MS, -HOUR_MS, 0)

KEEP_RECORD = """
  window.recorded = new Map();
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (event, key) {
    window.recorded.set(event.seq, JSON.parse(JSON.stringify(event)));
    return put.call(this, event, key);
  };
"""
"""Keeps a copy of every event the page puts on its shelf."""
MOVABLE_DATE = """
  window.shift_ms = 0;
  const RealDate = Date;
  window.Date = class extends RealDate {
    constructor(...given) { given.length ? super(...given) : super(RealDate.now() + window.shift_ms); }
    static now() { return RealDate.now() + window.shift_ms; }
  };
"""


def page_events(stage: Stage) -> list[Event]:
    return [event for event in stage.events() if event.stream == "page"]


def recorded(page: Page) -> list[dict[str, Any]]:
    """Return every event the page ever kept, in order."""
    found: list[dict[str, Any]] = page.evaluate("[...recorded.values()].sort((a, b) => a.seq - b.seq)")
    return [{"type": "", **event} for event in found]


def answered(stage: Stage) -> list[ResponseGiven]:
    return [event for event in stage.events() if isinstance(event, ResponseGiven)]


def outcomes(stage: Stage) -> list[str]:
    return [event.outcome for event in stage.events() if isinstance(event, SessionEnded)]


def test_two_minutes_without_a_network_inside_a_trial_lose_nothing(
    stage: Stage, page: Page, context: BrowserContext
) -> None:
    page.add_init_script(KEEP_RECORD)
    page.clock.install()
    page.goto(stage.address)
    hands = Hands(page, n_wrong=0)
    hands.play(until="judge")
    while page.locator("[data-question=prediction]").count() == 0:
        hands.go_on()
        hands.task()
    n_before = len(answered(stage))
    context.set_offline(True)
    hands.choose("defaulted")
    page.clock.run_for(CUT_MS // 2)
    hands.choose("repaid")
    hands.point("confidence", 4)
    page.click(".card .primary")
    page.clock.run_for(CUT_MS // 2)
    expect(page.locator(".banner")).to_have_text(
        "You are offline. Your answers are safe, and we will send them as soon as you are connected again."
    )
    assert len(answered(stage)) == n_before
    assert len(page_events(stage)) < page.evaluate("recorded.size")
    context.set_offline(False)
    page.evaluate("document.querySelector('.stage .card').dataset.mark = 'old'")
    hands.leave_feedback()
    hands.play()
    given = next(one for one in answered(stage) if "prediction" in one.response)
    assert outcomes(stage) == ["completed"]
    assert [stage.as_sent(event) for event in page_events(stage)] == recorded(page)
    assert given.response == {"prediction": "repaid", "confidence": 4}
    assert given.active_ms is not None
    assert given.rt_ms >= CUT_MS // 2 > 5 * given.active_ms


@pytest.fixture
def server_clock() -> list[int]:
    """How far the server's clock is off; the test moves it."""
    return [0]


@pytest.fixture
def moving_stage(tmp_path: Path, server_clock: list[int]) -> Iterator[Stage]:
    with served(player_study(), tmp_path, clock=lambda: now_ms() + server_clock[0]) as made:
        yield made


def test_clocks_that_jump_change_no_duration_no_order_and_end_no_session(
    moving_stage: Stage, page: Page, server_clock: list[int]
) -> None:
    page.add_init_script(MOVABLE_DATE)
    page.add_init_script(KEEP_RECORD)
    page.goto(moving_stage.address)
    hands = Hands(page, n_wrong=0)
    jumps = itertools.cycle(JUMPS_MS)

    def jump(_: str) -> None:
        server_clock[0] = next(jumps)
        page.evaluate("to => { shift_ms = to; }", -server_clock[0])

    hands.play(jump)
    stored = page_events(moving_stage)
    times = [event.at_ms for event in stored]
    assert outcomes(moving_stage) == ["completed"]
    assert len(hands.seen) > 2 * len(JUMPS_MS)
    assert [moving_stage.as_sent(event) for event in stored] == recorded(page)
    assert not any(isinstance(event, SessionFlagged) for event in moving_stage.events())
    assert times == sorted(times)
    assert times[-1] - times[0] < HOUR_MS
    assert all(0 < one.rt_ms < HOUR_MS for one in answered(moving_stage))


def test_a_reload_under_a_moved_clock_goes_on_in_order(
    moving_stage: Stage, page: Page, server_clock: list[int]
) -> None:
    page.add_init_script(MOVABLE_DATE.replace("shift_ms = 0", "shift_ms = Number(sessionStorage.shift ?? 0)"))
    page.goto(moving_stage.address)
    hands = Hands(page, n_wrong=0)
    jumps = itertools.cycle(JUMPS_MS)

    def jump(_: str) -> None:
        server_clock[0] = next(jumps)
        page.evaluate("to => { sessionStorage.shift = to; }", server_clock[0])
        page.reload()
        hands.task()

    hands.play(jump)
    stored = page_events(moving_stage)
    assert outcomes(moving_stage) == ["completed"]
    assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
    assert all(0 < one.rt_ms < HOUR_MS for one in answered(moving_stage))
