"""Somebody's link opened in another browser: what it says, how it goes on, and what it never shows."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.player_hands import Hands
from tests.journeys.player_stage import served, visiting
from tests.small_studies import two_group_plain
from understudy.schema import Study

WORDS = {
    "en": ("Continue where this id stopped?", "Continue", "This id has already taken part", "Stop", "just close this page", "Download a copy of your data"),
    "de": ("Dort weitermachen, wo diese Kennung aufgehört hat?", "Weitermachen", "Mit dieser Kennung hat schon jemand teilgenommen", "Aufhören", "Schließen Sie einfach diese Seite", "Eine Kopie Ihrer Daten herunterladen"),
}  # fmt: skip


def chooses(page: Page, task: str) -> None:
    """Answer the question of each case."""
    if task == "judge":
        Hands(page).choose("yes")


@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.slow)])
def test_another_browser_asks_before_it_goes_on_and_shows_no_finished_session(
    tmp_path: Path, browser: Browser, language: str
) -> None:
    heading, go_on, known, stop, close, copy = WORDS[language]
    study = Study.model_validate(two_group_plain(language=language))
    pictures = Path(os.environ.get("UNDERSTUDY_PICTURES", tmp_path))
    with served(study, tmp_path / "run") as stage:
        expect.set_options(timeout=15_000)
        link = f"{stage.address}?participant_id=4711&lang={language}"
        with visiting(browser) as first:
            page = first.new_page()
            page.goto(link)
            Hands(page).play(until="judge")
        with visiting(browser) as second:
            page = second.new_page()
            page.goto(link)
            expect(page.locator("h1")).to_have_text(heading)
            assert page.locator(".lead").inner_text().count("%") == 1
            page.screenshot(path=pictures / f"go-on-{language}.png")
            page.get_by_role("button", name=go_on, exact=True).click()
            page.get_by_role("button", name=stop, exact=True).click()
            expect(page.locator("dialog")).to_contain_text(close)
            page.screenshot(path=pictures / f"guest-stop-{language}.png")
            page.locator("dialog button").click()
            hands = Hands(page)
            hands.play(lambda task: chooses(page, task))
            code = page.inner_text(".code")
            assert page.get_by_text(copy).count() == 0
            page.reload()
            assert page.inner_text(".code") == code
        with visiting(browser) as stranger:
            page = stranger.new_page()
            page.goto(link)
            expect(page.locator("h1")).to_have_text(known)
            page.screenshot(path=pictures / f"known-{language}.png")
            assert code not in page.content()
        with visiting(browser) as owner:
            page = owner.new_page()
            page.goto(f"{stage.address}?participant_id=5{language}&lang={language}")
            Hands(page).play(lambda task: chooses(page, task))
            page.screenshot(path=pictures / f"copy-{language}.png", full_page=True)
            with page.expect_download() as download:
                page.get_by_role("button", name=copy).click()
            with zipfile.ZipFile(download.value.path()) as archive:
                plain = json.loads(archive.read("my-data.json"))
                assert f'lang="{language}"' in archive.read("my-data.html").decode()
                archive.extract("my-data.html", pictures)
            assert plain["link"] == {"participant_id": f"5{language}"}
            assert plain["code"] == page.inner_text(".code")
