"""A package of somebody's own brings a kind with its view, a task with its page, a model and a measure; no fork needed."""

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.own_package import ROOT, Workplace, installed_from
from tests.journeys.player_keys import Keys
from tests.journeys.player_stage import visiting
from tests.journeys.static_site import plain_host
from tests.journeys.test_player_access import violations
from tests.ports import free_port
from understudy.schema import BrowserModules

PAGE = ROOT / "docs" / "how-to" / "add-an-explanation.md"
SAME = "Ends in the state the participant saw"


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    return installed_from(PAGE, tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="module")
def run_folder(workplace: Workplace) -> Path:
    assert "Prepared 10 trials and 5 files" in workplace.run("prepare", "patches.toml", "--out", "run")
    return workplace.folder / "run"


@pytest.fixture(scope="module")
def site(workplace: Workplace, run_folder: Path) -> Iterator[str]:
    """The study without a server, from Python's own web host."""
    workplace.run("export", str(run_folder), "--static", "site", "--sessions", "2")
    with plain_host(workplace.folder / "site") as address:
        yield address


class Walker(Keys):
    """Takes part by keyboard: looks for the middle in the first picture, and always says left."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.ranked: list[list[str]] = []

    def answer(self) -> None:
        if self.task() != "which_half":
            return
        self.ranked.append(self.page.locator(".patch-ranking li").all_inner_texts())
        if self.heading() == "Picture 1 of 4":
            self.tab_to("button.middle")
            self.keys.press("Enter")
        self.choose("left")


def materials_in(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "public" / "materials.json").read_text(encoding="utf-8")))


def test_the_page_of_the_documentation_is_checked_and_rehearsed(workplace: Workplace) -> None:
    assert workplace.run("check", "patches.toml").startswith("patches is valid.")
    said = workplace.run("rehearse", "patches.toml", "--out", "rehearsal", "--json")
    assert [finding["hypothesis_id"] for finding in json.loads(said)["findings"]] == ["H1"]


def test_the_module_is_a_file_of_the_study_named_by_its_content(run_folder: Path, workplace: Workplace) -> None:
    modules = BrowserModules.model_validate(materials_in(run_folder)["modules"])
    [address] = {*modules.tasks.values(), *modules.kinds.values()}
    assert (modules.tasks, modules.kinds) == ({"which_half": address}, {"patch_ranking": address})
    source = workplace.folder / "understudy_patches" / "patches.js"
    assert (run_folder / "public" / "assets" / address).read_bytes() == source.read_bytes()


def test_people_see_the_page_and_the_view_and_the_replay_draws_them_again(
    workplace: Workplace, run_folder: Path, browser: Browser
) -> None:
    port = str(free_port())
    with workplace.started("serve", str(run_folder), "--port", port) as lines, visiting(browser) as context:
        people, researchers = (line.split()[1] for line in lines)
        page = context.new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        first = walked(page, f"{people}?PROLIFIC_PID=first")
        other = visited_again(browser, f"{people}?PROLIFIC_PID=second")
        shown, hidden = sorted([first, other], key=lambda walker: not walker.ranked[0])
        assert [len(lines) for lines in shown.ranked] == [2, 2, 2, 2]
        assert hidden.ranked == [[], [], [], []]
        assert all(re.fullmatch(r"row [1-4], column [1-4]", line) for ranking in shown.ranked for line in ranking)
        assert complaints == []
        page.goto(researchers)
        assert replayed(page) == [SAME] * 12
    archive = exported(workplace, run_folder)
    events = [json.loads(line) for line in archive["events"].splitlines()]
    assert [event["action"] for event in events if event.get("action") == "middle_shown"] == ["middle_shown"] * 2
    assert [event["response"]["half"] for event in events if "half" in event.get("response", {})] == ["left"] * 8
    assert archive["module"] == (workplace.folder / "understudy_patches" / "patches.js").read_text(encoding="utf-8")


def exported(workplace: Workplace, run_folder: Path) -> dict[str, str]:
    """Return the events and the module of the study's archive."""
    workplace.run("export", str(run_folder), "--out", "patches.zip")
    with zipfile.ZipFile(workplace.folder / "patches.zip") as archive:
        names = archive.namelist()
        events = next(name for name in names if name.endswith("events.jsonl"))
        module = next(name for name in names if "/modules/" in name)
        return {"events": archive.read(events).decode(), "module": archive.read(module).decode()}


def walked(page: Page, address: str) -> Walker:
    page.goto(address)
    walker = Walker(page)
    walker.play(lambda task: look_at(page) if task == "which_half" else None)
    return walker


def look_at(page: Page) -> None:
    expect(page.locator(".squares img").first).to_be_visible()
    assert violations(page) == []


def visited_again(browser: Browser, address: str) -> Walker:
    with visiting(browser) as context:
        return walked(context.new_page(), address)


def replayed(page: Page) -> list[str]:
    """Read what the replay says of every answered screen of every session."""
    said: list[str] = []
    page.get_by_role("link", name="Sessions").click()
    links = page.get_by_role("link", name=re.compile("^Replay of"))
    expect(links).to_have_count(2)
    for place in range(2):
        links.nth(place).click()
        bar = page.get_by_label("Moment of the session")
        expect(bar).to_be_visible()
        for moment in range(int(bar.get_attribute("max") or 0) + 1):
            bar.evaluate("(bar, at) => { bar.value = at; bar.dispatchEvent(new Event('input')); }", str(moment))
            if '"response_given"' in page.inner_text(".raw"):
                said.append(page.inner_text(".agreement"))
        page.go_back()
    return said


def test_simulated_people_use_the_page_in_the_browser(workplace: Workplace) -> None:
    said = workplace.run("rehearse", "patches.toml", "--out", "in-browser", "--browser", "1")
    assert "1 completed" in said


def test_a_static_export_has_the_module_and_draws_with_it(site: str, page: Page) -> None:
    rankings = [walked(page, f"{site}?n={number}").ranked[0] for number in (1, 2)]
    assert sorted(map(len, rankings)) == [0, 2]


def test_a_module_that_cannot_be_loaded_leads_to_a_page_with_another_try(site: str, page: Page) -> None:
    page.route(
        re.compile(r"/media/.*\.js$"),
        lambda route: route.fulfill(body="export const version = 2;", content_type="text/javascript"),
    )
    page.goto(f"{site}?n=1")
    expect(page.locator(".stage")).to_contain_text(
        "asks for version 2 of understudy's helpers; this page has version 1"
    )
    page.unroute(re.compile(r"/media/.*\.js$"))
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="I agree", exact=True)).to_be_visible()
