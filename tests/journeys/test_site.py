"""The documentation site as a reader opens it: from a folder, without a network, searched, small, by axe."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.test_player_access import violations

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs"
LOOKED_AT = (
    "index.html", "gallery.html", "protocols/kim2022.html", "how-to/choose-a-test.html", "reference/commands.html"
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="Zensical, which builds the site, is not installed: run `make setup`.")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        first: Path = importlib.import_module("build_site").build_site(tmp_path_factory.mktemp("site"))
    return first.parent


@pytest.fixture(scope="module", params=[(1280, 800, "light"), (390, 844, "dark")], ids=["wide", "narrow"])
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, height, scheme = request.param
    with browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme) as context:
        yield context.new_page()


@pytest.mark.parametrize("words", ["random slopes", "Prolific", "heat map"])
def test_search_finds_what_people_look_for_without_a_network(site: Path, browser: Browser, words: str) -> None:
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.get_by_role("button", name="Search").first.click()
        page.keyboard.type(words)
        found = page.locator("a[href*='?h=']").filter(has_text=re.compile(words.split(maxsplit=1)[0], re.IGNORECASE))
        found.first.click()
        page.wait_for_url("**/*?h=*")
        text = page.locator("article").inner_text().lower()
        assert [word for word in words.lower().split() if word not in text] == []
        assert [address for address in asked if not address.startswith(("file:", "data:", "blob:"))] == []


def test_the_licences_of_what_the_site_holds_lie_with_it(site: Path) -> None:
    notices = (site / "NOTICES.txt").read_text(encoding="utf-8")
    assert [name for name in ("jspsych", "Zensical", "iframe-worker", "material/LICENSE") if name not in notices] == []


def test_pages_shut_nobody_out_and_fit_the_window(site: Path, reader: Page) -> None:
    found = []
    for name in LOOKED_AT:
        reader.goto((site / name).as_uri())
        wide = reader.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        found += [f"{name}: {fault}" for fault in violations(reader)] + [f"{name} is too wide"] * wide
    assert found == []


def test_the_report_shuts_nobody_out_and_folds(site: Path, reader: Page) -> None:
    reader.goto((site / "live" / "report.html").as_uri() + "#hypothesis-2")
    assert reader.locator("details[open]").count() == 1
    reader.get_by_role("button", name="Open all details").click()
    assert reader.locator("details:not([open])").count() == 0
    assert violations(reader) == []


def test_tables_of_the_report_sort(site: Path, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((site / "live" / "report.html").as_uri())
        page.get_by_text("All verdicts as one table").click()
        verdicts = page.get_by_role("region", name="Verdicts").get_by_role("table")
        heading = verdicts.get_by_role("columnheader", name="Verdict")
        heading.get_by_role("button").click()
        shown = verdicts.locator("tbody .badge").all_inner_texts()
        assert heading.get_attribute("aria-sort") == "ascending"
        assert shown == sorted(shown)


def test_live_tasks_open_from_a_folder_and_take_an_answer(site: Path, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 800, "height": 560}) as context:
        page = context.new_page()
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        names = ["attribution", "token_attribution", "rule", "similar_case", "path", "heatmap", "judge"]
        names += ["prototype_matches", "tree_path", "picture_grid", "prototype_tree"]
        for name in names:
            page.goto((site / "live" / f"{name}.html").as_uri())
            page.locator(".option input").first.check()
            page.get_by_role("button", name="Submit answer").click()
            page.get_by_role("button", name="Try it again").wait_for()
        page.goto((site / "live" / "questionnaire.html").as_uri())
        assert page.locator(".question").count() == 8
        assert failures == []


def test_every_link_of_the_built_site_leads_to_something_in_it(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if "live" not in page.parts and page.name != "404.html"]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    ids = {page: set(re.findall(r'\bid="?([^"\s>]+)', text)) for page, text in texts.items()}
    lost = []
    for page, text in texts.items():
        for target in re.findall(r'(?:href|src)="?([^"\s>]+)', text):
            path, _, anchor = target.partition("#")
            goal = (page.parent / unquote(path)).resolve() if path else page
            if re.match(r"[a-z]+:", target):
                continue
            if not goal.exists() or (anchor and goal in ids and unquote(anchor) not in ids[goal]):
                lost.append(f"{page.relative_to(site)}: {target}")
    assert len(pages) > 80
    assert lost == []
