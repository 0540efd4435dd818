"""The report of a running study: kept, made in the background, and always a page for a browser."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event as Signal

import httpx
import pytest
from starlette.applications import Starlette

from tests.serve.stage_door import ADMIN_HEADERS, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.errors import LogError
from understudy.serve.desk import report_page
from understudy.serve.settings import ServedStudy

REPORT = "/api/admin/studies/two-groups/report"
AS_BROWSER = {**ADMIN_HEADERS, "Accept": "text/html,application/xhtml+xml"}
PAGE = b"<html>the report"


class Press:
    """Makes the report when it is told to, and counts how often."""

    def __init__(self) -> None:
        self.may_finish = Signal()
        self.n_made = 0

    def __call__(self) -> bytes:
        self.n_made += 1
        self.may_finish.wait(60)
        return PAGE


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Starlette]:
    # A browser is shown progress at once, so that no test waits.
    monkeypatch.setattr(report_page, "_PATIENCE_S", 0.01)
    with server(folder_of(two_groups(), tmp_path)) as running:
        yield running


def with_report(app: Starlette, report: Callable[[], bytes], said: str | None = None) -> None:
    study = app.state.server.studies["two-groups"]
    served: ServedStudy = study.served
    study.served = replace(served, report=report, report_progress=lambda: said)


async def a_person(client: httpx.AsyncClient) -> None:
    await Person(client, "two-groups").start()


def test_a_browser_sees_progress_and_then_the_report(app: Starlette) -> None:
    press = Press()
    with_report(app, press, "Reading sessions: 3 of 8.")

    async def play(client: httpx.AsyncClient) -> list[httpx.Response]:
        await a_person(client)
        first = await client.get(REPORT, headers=AS_BROWSER)
        press.may_finish.set()
        # Somebody arrives meanwhile; in a busy study somebody always does.
        client.cookies.clear()
        await a_person(client)
        shown = first
        while shown.status_code == 202:
            shown = await client.get(REPORT, headers=AS_BROWSER)
        return [first, shown]

    waiting, shown = played(app, play)
    assert waiting.headers["refresh"] == "2"
    assert "Reading sessions: 3 of 8." in waiting.text
    assert (shown.status_code, shown.content, press.n_made) == (200, PAGE, 1)


def test_a_report_from_before_an_erasure_is_not_shown_again(app: Starlette) -> None:
    press = Press()
    press.may_finish.set()
    with_report(app, press)

    async def play(client: httpx.AsyncClient) -> None:
        await a_person(client)
        client.cookies.clear()
        person = Person(client, "two-groups")
        await person.start()
        await client.get(REPORT, headers=ADMIN_HEADERS)
        await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
        await client.get(REPORT, headers=AS_BROWSER)

    played(app, play)
    assert press.n_made == 2


def test_an_empty_run_opens_a_page(app: Starlette) -> None:
    page = played(app, lambda client: client.get(REPORT, headers=AS_BROWSER))
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "Nobody has taken part" in page.text
    assert 'href="/admin#/two-groups"' in page.text


def test_a_browser_reads_why_there_is_no_report(app: Starlette) -> None:
    def fail() -> bytes:
        raise LogError("The disk is full; make room.")

    with_report(app, fail)

    async def play(client: httpx.AsyncClient) -> httpx.Response:
        await a_person(client)
        await client.get(REPORT, headers=ADMIN_HEADERS)
        return await client.get(REPORT, headers=AS_BROWSER)

    assert "The disk is full; make room." in played(app, play).text


def test_a_script_gets_an_error_as_json(app: Starlette) -> None:
    got = played(app, lambda client: client.get(REPORT, headers=ADMIN_HEADERS))
    assert (got.status_code, "no sessions yet" in got.json()["error"]) == (409, True)


def test_a_kept_report_is_not_made_again(app: Starlette) -> None:
    press = Press()
    with_report(app, press)
    study = app.state.server.studies["two-groups"]
    study.served = replace(study.served, kept_report=lambda: PAGE)
    got = played(app, lambda client: client.get(REPORT, headers=AS_BROWSER))
    assert (got.content, press.n_made) == (PAGE, 0)
