"""Widgets in a real notebook: every kind of explanation is drawn, and dials that are turned there are read in Python."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.ports import free_port
from understudy.protocols.hase2020.lessons import sample_explanations

NOTEBOOK = Path(__file__).with_name("dial_notebook.py")
KINDS = [*sample_explanations()]
PATIENCE_MS = 90_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    port = free_port()
    words = [sys.executable, "-m", "marimo", "run", str(NOTEBOOK), "--headless", "--no-token", "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        assert any("URL" in line for line in process.stdout)
        yield f"http://127.0.0.1:{port}"
        process.kill()


def frame_of(page: Page, title: str) -> FrameLocator:
    return page.frame_locator(f'iframe[title="{title}"]')


@pytest.mark.slow
def test_explanations_are_drawn_and_dials_are_read_back_in_python(page: Page, address: str) -> None:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    for kind in KINDS:
        expect(frame_of(page, f"Explanation: {kind}").locator(".explanation *").first).to_be_attached(
            timeout=PATIENCE_MS
        )
    cell = frame_of(page, "Rehearsal of ross2021-synthetic")
    expect(cell.locator(".ribbon").first).to_have_text(
        "Notebook rehearsal: take part as a participant would. Nothing is saved", timeout=PATIENCE_MS
    )
    dial = cell.locator("input[type=range]").first
    dial.focus()
    agreement = cell.locator(".meter").first
    before = agreement.inner_text()
    dial.press("End")
    expect(agreement).not_to_have_text(before, timeout=PATIENCE_MS)
    # The page keeps a draft half a second later and sends it with the next second; until then the button shows nothing.
    for _ in range(40):
        page.get_by_role("button", name="Read the answers").click()
        if page.get_by_text("'is_sent': False").count():
            break
        page.wait_for_timeout(250)
    expect(page.get_by_text(re.compile(r"practice_first.*'dials'.*'is_sent': False"))).to_be_visible()
