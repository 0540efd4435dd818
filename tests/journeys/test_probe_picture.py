"""The picture of a concept test in a real browser: move the threshold, trace a verdict by keys, choose a group."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.test_player_access import violations_in_both_schemes
from tests.probe.picture_sample import sample_verdicts
from understudy.probe.picture import ProbeWidget, serve_page
from understudy.probe.picture import page as page_of

FLIP = 0.0169606
"""The threshold above which H6 is confirmed."""


@pytest.fixture
def picture(page: Page, tmp_path: Path) -> Page:
    path = tmp_path / "picture.html"
    path.write_text(page_of(sample_verdicts()), encoding="utf-8")
    page.goto(path.as_uri())
    return page


def state_of(page: Page, hypothesis: str) -> str:
    label = page.locator(f'[data-id="{hypothesis}"]').get_attribute("aria-label") or ""
    return label.split(", ")[1]


def threshold(page: Page) -> float:
    return float(page.get_by_label("Threshold on p, as a number").input_value())


def test_a_verdict_flips_where_the_threshold_passes_its_chance(picture: Page) -> None:
    slider = picture.get_by_role("slider", name="Threshold on p", exact=True)
    slider.focus()
    seen = {threshold(picture): state_of(picture, "H6")}
    for _ in range(160):
        slider.press("ArrowLeft")
        seen[threshold(picture)] = state_of(picture, "H6")
    wrong = {alpha: state for alpha, state in seen.items() if (state == "confirmed") != (alpha > FLIP)}
    assert wrong == {}
    assert set(seen.values()) == {"confirmed", "unproven"}


def test_a_flip_is_seen_in_row_sentence_link_and_group_at_once(picture: Page) -> None:
    picture.get_by_label("Threshold on p, as a number").fill("0.01")
    picture.get_by_label("Threshold on p, as a number").press("Enter")
    assert picture.locator(".row.is-confirmed[data-row=H6]").count() == 0
    assert picture.locator("[data-confirmed=H6]").count() == 0
    assert "is-alike" in (picture.locator('[data-link="A6 MP"]').get_attribute("class") or "")
    assert picture.locator("tr.is-chosen td").nth(6).get_attribute("class") == "is-unproven"
    assert "is-supports" in (picture.locator('[data-cell="H1 A2"]').get_attribute("class") or "")


def test_a_button_goes_to_the_threshold_that_changes_a_verdict(picture: Page) -> None:
    picture.get_by_role("button", name="above 0.017").click()
    assert threshold(picture) > FLIP
    assert state_of(picture, "H6") == "confirmed"


def test_a_verdict_is_traced_by_keys_alone(picture: Page) -> None:
    picture.get_by_role("combobox", name="Group").focus()
    picture.keyboard.press("Tab")
    expect(picture.locator(".probe-trace .verdict")).to_contain_text("H1 is confirmed (votes +1)")
    assert picture.locator(".probe-trace li.is-muted").inner_text().endswith("H6 is confirmed.")
    lit = [element.get_attribute("data-link") for element in picture.locator(".links .is-lit").all()]
    assert lit == ["A1 PP", "A1 MD", "A2 PP", "A2 MP"]
    picture.keyboard.press("ArrowDown")
    expect(picture.locator(".probe-trace .verdict")).to_contain_text("H2 is rejected")


def test_enter_keeps_a_trace_and_escape_lets_it_go(picture: Page) -> None:
    picture.locator('[data-id="H7"]').focus()
    picture.keyboard.press("Enter")
    picture.get_by_role("slider", name="Threshold on p", exact=True).focus()
    expect(picture.locator(".probe-trace .verdict")).to_contain_text("H7 is confirmed")
    picture.locator('[data-id="H7"]').focus()
    picture.keyboard.press("Escape")
    picture.get_by_role("slider", name="Threshold on p", exact=True).focus()
    expect(picture.locator(".probe-trace .hint")).to_be_visible()


def test_a_row_keeps_the_focus_while_the_threshold_moves(picture: Page) -> None:
    picture.locator('[data-id="H6"]').focus()
    picture.evaluate(
        """() => { const slider = document.querySelector('input[type=range]'); slider.value = '100';
        slider.dispatchEvent(new Event('input')); }"""
    )
    assert picture.evaluate("document.activeElement.getAttribute('data-id')") == "H6"
    expect(picture.locator(".probe-trace .verdict")).to_contain_text("H6 is unproven")


def test_a_p_value_under_the_pointer_lights_its_two_results(picture: Page) -> None:
    picture.locator('[data-id="A4"]').hover()
    lit = [element.get_attribute("data-result") for element in picture.locator(".result.is-lit").all()]
    assert lit == ["PD", "MD"]


def test_the_layout_follows_the_window_and_the_wish(picture: Page) -> None:
    assert picture.locator("svg.is-horizontal").count() == 1
    picture.set_viewport_size({"width": 420, "height": 800})
    expect(picture.locator("svg.is-vertical")).to_be_visible()
    assert picture.evaluate("document.documentElement.scrollWidth") <= 420
    picture.get_by_text("Wide", exact=True).click()
    expect(picture.locator("svg.is-horizontal")).to_be_visible()


def test_a_group_has_the_same_picture(picture: Page) -> None:
    picture.get_by_role("combobox", name="Group").select_option("shirt")
    expect(picture.get_by_role("heading", level=1)).to_have_text("Rotation correction: shirt")
    wanted = next(group for group in sample_verdicts()["groups"] if group["name"] == "shirt")["verdicts"]["hypotheses"]
    assert [state_of(picture, one["id"]) for one in wanted] == [one["state"] for one in wanted]


@pytest.mark.parametrize("width", [1280, 420])
def test_the_picture_shuts_nobody_out(browser: Browser, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    with serve_page(page_of(sample_verdicts())) as address:
        page.goto(address)
        page.locator('[data-id="H1"]').focus()
        found = violations_in_both_schemes(page)
    context.close()
    assert found == []


def test_the_page_asks_for_nothing_from_elsewhere(page: Page, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    (tmp_path / "picture.html").write_text(page_of(sample_verdicts()), encoding="utf-8")
    page.goto((tmp_path / "picture.html").as_uri())
    page.wait_for_selector(".row")
    assert asked == [(tmp_path / "picture.html").as_uri()]


_IN_A_CELL = """async ([module, verdicts]) => {
  const address = URL.createObjectURL(new Blob([module], { type: 'text/javascript' }));
  const { default: widget } = await import(address);
  const cell = document.body.appendChild(document.createElement('div'));
  window.told = {};
  const heard = new Set();
  const model = {
    get: () => verdicts,
    set: (name, value) => { window.told[name] = value; },
    on: (_, listener) => heard.add(listener),
    off: (_, listener) => heard.delete(listener),
    save_changes: () => { window.told.saved = true; },
  };
  window.leave = widget.render({ model, el: cell });
  window.again = (changed) => { verdicts = changed; heard.forEach((one) => one()); };
}"""


@pytest.fixture
def cell(page: Page) -> Page:
    page.set_content("<style>.row { display: none } </style><p>A notebook</p>")
    page.evaluate(_IN_A_CELL, [str(ProbeWidget(sample_verdicts())._esm), sample_verdicts()])
    return page


def test_a_cell_shows_the_picture_whatever_the_notebook_styles(cell: Page) -> None:
    assert cell.locator(".row:visible").count() == 12


def test_a_cell_tells_python_what_the_reader_chose(cell: Page) -> None:
    cell.get_by_role("combobox", name="Group").select_option("bag")
    cell.get_by_label("Threshold on p, as a number").fill("0.01")
    cell.get_by_label("Threshold on p, as a number").press("Enter")
    assert cell.evaluate("window.told") == {"alpha": 0.01, "group": "bag", "saved": True}


def test_a_cell_follows_new_verdicts_and_cleans_up(cell: Page) -> None:
    cell.evaluate("window.again", {**sample_verdicts(), "concept": "scaling"})
    expect(cell.get_by_role("heading", level=1)).to_have_text("Scaling")
    cell.evaluate("window.leave()")
    assert cell.locator(".row").count() == 0
