"""What browser journeys share: one Chromium, and one page for each test."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.journeys.player_stage import Stage, StageOf, launched, recorded_film, served, visiting
from tests.journeys.player_study import player_study, short_study


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = launched(playwright.chromium)
        if started is None:
            pytest.skip("There is no Chromium here: install the system's, or run `playwright install chromium`.")
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    with visiting(browser) as made:
        yield made


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def stage_of(tmp_path: Path) -> Iterator[StageOf]:
    """Serve a study until the test is over."""
    with ExitStack() as open_until_then:
        yield lambda study: open_until_then.enter_context(served(study, tmp_path))


@pytest.fixture
def stage(stage_of: StageOf) -> Stage:
    return stage_of(player_study())


@pytest.fixture
def short_stage(stage_of: StageOf) -> Stage:
    return stage_of(short_study())


@pytest.fixture
def german_stage(stage_of: StageOf) -> Stage:
    return stage_of(player_study(language="de"))


@pytest.fixture(scope="session")
def film(browser: Browser) -> bytes:
    """A film, recorded once, because that takes as long as the film."""
    return recorded_film(browser)


@pytest.fixture
def film_stage(tmp_path: Path, film: bytes) -> Iterator[Stage]:
    (tmp_path / "film.webm").write_bytes(film)
    with served(player_study(film="film.webm"), tmp_path / "run", root=tmp_path) as made:
        yield made
