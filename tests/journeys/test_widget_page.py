"""Widgets in a browser, at the other end of the messages that a notebook would carry."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

import understudy as us
from understudy.api.widgets import ExplanationWidget
from understudy.protocols.hase2020.lessons import sample_explanations

SAMPLES = sample_explanations()
PATIENCE_MS = 30_000
"""What live models run on is large, and travels as text here."""
DRAFT_SENT = "() => (window.answered ?? []).some(({ body }) => body.includes('\"draft\"'))"
"""True once Python has heard of a dial."""


@pytest.fixture(scope="module")
def opened_widget() -> Callable[[Page, Any], FrameLocator]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
        opened: Callable[[Page, Any], FrameLocator] = importlib.import_module("tour.widget_page").opened_widget
    return opened


def test_every_kind_of_explanation_is_drawn_in_a_cell(page: Page, opened_widget: Callable[..., FrameLocator]) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    files = {name: content for sample in SAMPLES.values() for name, content in sample.files.items()}
    widget = ExplanationWidget([sample.explanation for sample in SAMPLES.values()], files)
    cell = opened_widget(page, widget)
    expect(cell.locator("#player > .explanation")).to_have_count(len(SAMPLES))
    expect(cell.locator("img").first).to_have_js_property("complete", value=True)
    assert all(cell.locator("#player > .explanation").nth(number).inner_text() for number in range(len(SAMPLES)))
    assert faults == []


def test_a_dial_that_is_turned_in_a_cell_is_read_in_python(
    page: Page, opened_widget: Callable[..., FrameLocator]
) -> None:
    widget = us.play("ross2021-synthetic", condition="dsprites-interactive", page="practice_first")
    cell = opened_widget(page, widget)
    expect(cell.locator(".ribbon").first).to_have_text(
        "Notebook rehearsal: take part as a participant would. Nothing is saved", timeout=PATIENCE_MS
    )
    dial = cell.locator("input[type=range]").first
    dial.press("ArrowRight")
    page.wait_for_function(DRAFT_SENT)
    last = widget.answers[-1]
    widget.close()
    assert (last["page"], last["task"], last["is_sent"]) == ("practice_first", "reconstruct", False)
    assert isinstance(last["answers"], dict)
    assert "dials" in last["answers"]
