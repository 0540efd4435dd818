"""The visitor's journey through the demo: one command, a landing page, three doors."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.test_player_access import violations_in_both_schemes
from tests.ports import free_port
from understudy.actions.run_folder import existing_run, status_of

LONG_MS = 90_000
"""The report is made by another process, on a machine that may be busy."""


class Demo:
    """A demo that somebody started in a shell."""

    def __init__(self, process: "subprocess.Popen[str]", address: str, folder: Path) -> None:
        self.process = process
        self.address = address
        self.folder = folder


def started(folder: Path) -> Demo:
    """Start the command and return when it has said where it is."""
    words = ["demo", "--out", str(folder), "--port", str(free_port()), "--per-second", "4"]
    code = "from understudy.cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        if found:
            return Demo(process, found[0], folder)
    raise AssertionError(f"the demo ended with {process.wait()} and named no address")


def stopped(demo: Demo) -> str:
    """Press Ctrl-C and return what is said last."""
    demo.process.send_signal(signal.SIGINT)
    said, _ = demo.process.communicate()
    return said


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    made = started(tmp_path_factory.mktemp("demo"))
    yield made
    if made.process.poll() is None:
        stopped(made)


def n_in(page: Page, kind: str, name: str) -> int:
    return sum(int(text) for text in page.locator(f"[data-kind={kind}] [data-count={name}]").all_inner_texts())


def test_the_landing_page_names_the_study_and_counts_simulated_people(demo: Demo, page: Page) -> None:
    page.goto(demo.address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Predict a loan model")
    expect(page.locator(".filling")).to_contain_text(re.compile(r"[1-9]\d* of 60 finished"), timeout=LONG_MS)


def test_the_first_door_leads_into_the_study(demo: Demo, page: Page) -> None:
    page.goto(demo.address)
    page.get_by_role("link", name="Start the study").click()
    hands = Hands(page)
    assert hands.task() == "consent"
    hands.answer()
    hands.go_on()
    assert hands.task() == "instructions"


def test_the_second_door_shows_counts_that_grow_and_keeps_people_apart(demo: Demo, page: Page) -> None:
    page.goto(demo.address)
    page.get_by_role("link", name="Open the dashboard").click()
    expect(page.locator("[data-kind=synthetic] [data-count=completed]").first).not_to_have_text("0", timeout=LONG_MS)
    before = n_in(page, "synthetic", "completed")
    page.wait_for_function(
        "before => [...document.querySelectorAll('[data-kind=synthetic] [data-count=completed]')]"
        ".reduce((sum, one) => sum + Number(one.textContent), 0) > before",
        arg=before, timeout=LONG_MS,
    )  # fmt: skip
    people = page.locator("[data-study=loan-demo]")
    expect(people.locator("[data-kind=person]")).to_have_count(1)
    expect(people.locator("[data-kind=synthetic]")).to_have_count(0)
    expect(page.locator("[data-study=loan-demo-rehearsal] [data-kind=person]")).to_have_count(0)


def test_the_second_door_opens_again(demo: Demo, page: Page) -> None:
    for _ in range(2):
        page.goto(demo.address)
        page.get_by_role("link", name="Open the dashboard").click()
        expect(page.get_by_role("heading", name="Studies", level=1)).to_be_visible()


def test_the_third_door_shows_a_report_that_says_synthetic(demo: Demo, page: Page) -> None:
    page.goto(demo.address)
    page.get_by_role("link", name="Read the report").click(timeout=LONG_MS, no_wait_after=True)
    title = page.get_by_role("heading", level=1, name="Do feature weights help people predict a loan model?")
    expect(title).to_be_visible(timeout=LONG_MS)
    expect(page.get_by_text("SYNTHETIC DATA").first).to_be_visible()


def test_all_doors_are_reached_by_keyboard(demo: Demo, page: Page) -> None:
    page.goto(demo.address)
    doors = []
    for _ in range(3):
        page.keyboard.press("Tab")
        doors.append(page.evaluate("document.activeElement.getAttribute('href')"))
    assert doors == ["/s/loan-demo", "/demo/dashboard", "/demo/report"]


def test_landing_and_kind_pages_shut_nobody_out(demo: Demo, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(demo.address)
    expect(page.locator(".filling")).to_be_visible()
    found = violations_in_both_schemes(page)
    size = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    page.goto(f"{demo.address}nowhere")
    found += violations_in_both_schemes(page)
    styled = page.evaluate("getComputedStyle(document.querySelector('.card')).borderTopWidth")
    context.close()
    assert (found, size, styled) == ([], [1024, 640], "5px")


def test_stopping_says_what_to_type_next_and_keeps_both_runs(tmp_path: Path, context: Any) -> None:
    demo = started(tmp_path)
    page = context.new_page()
    page.goto(f"{demo.address}s/loan-demo")
    Hands(page).task()
    page.goto(demo.address)
    expect(page.locator(".filling")).to_contain_text(re.compile(r"[1-9]\d* of 60 finished"), timeout=LONG_MS)
    assert f"Next: understudy report {tmp_path / 'simulated'}" in stopped(demo)
    assert demo.process.returncode == 0
    people, simulated = (status_of(existing_run(tmp_path / name)) for name in ("people", "simulated"))
    assert ({person.kind for person in people}, sum(person.n_active for person in people)) == ({"person"}, 1)
    assert {one.kind for one in simulated} == {"synthetic"}
