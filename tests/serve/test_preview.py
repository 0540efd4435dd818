"""The preview: every page of every condition, for researchers only, and nothing of it in the log."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.loops import finished
from tests.playing import rich_study, script_of
from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, client_of, folder_of, played, server
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.preview import preview_walks
from understudy.cli.preview import Place, query_of
from understudy.errors import UnderstudyError
from understudy.record import open_log
from understudy.schema import ResponseGiven
from understudy.serve.previews import Preview
from understudy.serve.public_study import PublicStudy

CONTENTS = "/api/preview/two-groups"


@pytest.fixture(scope="module")
def rich() -> Any:
    return script_of(rich_study())


@pytest.fixture(scope="module")
def rich_walks(rich: Any) -> Any:
    return preview_walks(rich)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path)


def asked(app: Starlette, *paths: str, **client: Any) -> list[httpx.Response]:
    async def ask() -> list[httpx.Response]:
        async with client_of(app, **client) as browser:
            return [await browser.get(path) for path in paths]

    return finished(ask())


def local(app: Starlette, path: str, host: str = "127.0.0.1") -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}:8010") as browser:
            return await browser.get(path)

    return finished(ask())


def test_every_condition_is_walked_to_its_end(rich: Any, rich_walks: Any) -> None:
    preview = Preview(rich, PublicStudy(rich.study, _materials_of(rich)), rich_walks)
    assert {condition.outcome for condition in preview.contents.conditions} == {"completed"}
    assert [condition.name for condition in preview.contents.conditions] == [cell.name for cell in rich.study.cells]


def test_researchers_list_and_open_pages(folder: Path) -> None:
    with server(folder) as app:
        listed, third = asked(
            app, CONTENTS, f"{CONTENTS}/page?condition=shown&page=3", headers=ADMIN_HEADERS, timeout=60
        )
    pages = [page for part in listed.json()["conditions"][0]["parts"] for page in part["pages"]]
    assert third.json()["step"]["trial"]["trial_id"] == pages[2]["trial_id"]
    assert third.json()["skin"] == {"is_preview": True}


def test_a_preview_leaves_the_log_empty(folder: Path) -> None:
    with server(folder) as app:
        asked(app, CONTENTS, f"{CONTENTS}/page?condition=hidden&page=9", headers=ADMIN_HEADERS, timeout=60)
    with open_log(folder / "events.sqlite") as log:
        assert log.count_events() == 0


@pytest.mark.parametrize("path", [CONTENTS, f"{CONTENTS}/page?condition=shown&page=1"])
def test_participants_see_no_preview(folder: Path, path: str) -> None:
    with server(folder) as app:
        assert played(app, lambda client: client.get(path)).status_code == 401


@pytest.mark.parametrize("query", ["condition=sideways&page=1", "condition=shown&page=99", "condition=shown&page=2&trial=x"])  # fmt: skip
def test_a_page_that_is_not_there_is_told_in_a_sentence(folder: Path, query: str) -> None:
    with server(folder) as app:
        (got,) = asked(app, f"{CONTENTS}/page?{query}", headers=ADMIN_HEADERS, timeout=60)
    assert (got.status_code, got.json()["error"][-1]) == (404, ".")


def test_a_preview_server_takes_nobody_and_serves_its_own_machine_only(folder: Path) -> None:
    with server(folder, settings=replace(GENEROUS, is_preview=True)) as app:
        start = played(app, lambda client: client.post("/api/s/two-groups/start", json={}))
        (elsewhere,) = asked(app, CONTENTS)
        rebound, here = local(app, CONTENTS, "evil.example"), local(app, CONTENTS)
    codes = [got.status_code for got in (start, elsewhere, rebound, here)]
    assert codes == [404, 403, 403, 200]


def test_another_item_can_take_the_place_of_a_page(rich: Any, rich_walks: Any) -> None:
    preview = Preview(rich, PublicStudy(rich.study, _materials_of(rich)), rich_walks)
    first = preview.contents.conditions[0]
    page = next(page for part in first.parts for page in part.pages if page.others)
    other = page.others[0].trial_id
    assert f'"trial_id":"{other}"'.encode() in preview.page(first.name, page.number, other)


def test_the_command_opens_a_trial_where_a_session_meets_it(rich: Any, rich_walks: Any) -> None:
    walk = rich_walks.walks[1]
    met = [event.trial_id for event in walk.events if isinstance(event, ResponseGiven)]
    query = query_of(rich, rich_walks, Place(walk.condition, trial=met[6]))
    assert query == f"?condition={walk.condition}&page=7"


@pytest.mark.parametrize("at", [Place("sideways"), Place("shown", 900), Place(trial="x")])
def test_the_command_names_what_there_is_instead(rich: Any, rich_walks: Any, at: Place) -> None:
    with pytest.raises(UnderstudyError, match=r"\.$"):
        query_of(rich, rich_walks, at)


def test_a_study_that_is_not_there_is_one_sentence() -> None:
    shown = understudy("preview", "no-such-study", "--no-open")
    assert (shown.code, "no-such-study" in shown.err, "Traceback" in shown.err) == (2, True, False)


def _materials_of(script: Any) -> Any:
    from understudy.prepare import prepare

    return prepare(script.study, Path()).materials
