"""The demo's doors: simulated and real people apart, and no door open to anybody elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.loops import finished
from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, SECRET, Hands, Person, folder_of
from tests.small_studies import two_groups
from understudy.actions.serve import served_from_folder
from understudy.record import open_log
from understudy.schema import SessionStarted
from understudy.serve import TOKEN_HEADER, Demo, Settings, close_app, create_app

KEY = {TOKEN_HEADER: ADMIN}
PEOPLE, SIMULATED = "two-groups", "two-groups-rehearsal"
DEMO = Demo(PEOPLE, SIMULATED, "Look & answer.")
REPORT = b"<title>SYNTHETIC</title>"


@contextmanager
def demo(folder: Path, *, web: Path | None = None, is_demo: bool = True) -> Iterator[Starlette]:
    """Serve one study to people, and again to simulated people."""
    people = served_from_folder(folder_of(two_groups(), folder / "people"))
    simulated = replace(
        served_from_folder(folder_of(two_groups(), folder / "simulated")),
        address=SIMULATED, is_rehearsal=True, clock=Hands(), report=lambda: REPORT,
    )  # fmt: skip
    settings = Settings(web=web, demo=DEMO if is_demo else None)
    app = create_app([simulated, people], secret=SECRET, admin_token=ADMIN, clock=Hands(), settings=settings)
    try:
        yield app
    finally:
        close_app(app)
        for one in (people, simulated):
            one.log.close()


def client_from(app: Starlette, *, address: str = "127.0.0.1", host: str = "localhost:8000") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, client=(address, 1))
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}")


def got(app: Starlette, path: str, **where: str) -> httpx.Response:
    async def get() -> httpx.Response:
        async with client_from(app, **where) as client:
            return await client.get(path)

    return finished(get())


def started(app: Starlette, study: str, *, headers: dict[str, str], **body: Any) -> httpx.Response:
    async def post() -> httpx.Response:
        async with client_from(app) as client:
            return await client.post(f"/api/s/{study}/start", headers=headers, json=body)

    return finished(post())


def starts_in(folder: Path) -> list[tuple[str, str | None, str]]:
    with open_log(folder / "events.sqlite") as log:
        firsts = [events[0] for events in log.sessions(PEOPLE)]
    return [
        (first.participant_kind, first.cast, first.study_name) for first in firsts if isinstance(first, SessionStarted)
    ]


@pytest.mark.parametrize(
    ("headers", "is_claimed", "status"),
    [({}, False, 409), (KEY, False, 409), ({}, True, 403), ({TOKEN_HEADER: "guess"}, True, 403)],
)
def test_nobody_passes_for_a_simulated_person(
    tmp_path: Path, headers: dict[str, str], is_claimed: bool, status: int
) -> None:
    with demo(tmp_path) as app:
        assert started(app, SIMULATED, headers=headers, synthetic=is_claimed).status_code == status
    assert starts_in(tmp_path / "simulated") == []


def test_a_simulated_person_does_not_pass_for_a_real_one(tmp_path: Path) -> None:
    with demo(tmp_path) as app:
        assert started(app, PEOPLE, headers={}).status_code == 201
        assert started(app, PEOPLE, headers=KEY, synthetic=True).status_code == 409
    assert starts_in(tmp_path / "people") == [("person", None, PEOPLE)]


def test_a_person_cannot_name_a_cast(tmp_path: Path) -> None:
    with demo(tmp_path) as app:
        assert started(app, PEOPLE, headers={}, cast="careful").status_code == 422


def test_both_kinds_are_recorded_in_runs_of_their_own(tmp_path: Path) -> None:
    with demo(tmp_path) as app:
        codes = [started(app, SIMULATED, headers=KEY, synthetic=True, cast="careful").status_code for _ in range(2)]
        codes.append(started(app, PEOPLE, headers={}).status_code)
    assert codes == [201, 201, 201]
    assert starts_in(tmp_path / "simulated") == [("synthetic", "careful", PEOPLE)] * 2
    assert starts_in(tmp_path / "people") == [("person", None, PEOPLE)]


def test_dashboard_and_landing_page_count_both_kinds_apart(tmp_path: Path) -> None:
    async def play(app: Starlette) -> tuple[Any, Any]:
        async with client_from(app) as client:
            person = Person(client, PEOPLE)
            await person.start()
            await person.finish()
            await client.post(f"/api/s/{SIMULATED}/start", headers=KEY, json={"synthetic": True})
            shown = (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).json()
            return [(one["name"], one["kinds"]) for one in shown], (await client.get("/demo/counts")).json()

    with demo(tmp_path) as app:
        studies, counts = finished(play(app))
    assert studies == [(SIMULATED, {"synthetic": 1}), (PEOPLE, {"person": 1})]
    assert [(kind, count["completed"], count["active"]) for kind, count in counts.items()] == [
        ("simulated", 0, 1),
        ("people", 1, 0),
    ]


def test_the_dashboard_door_opens_as_often_as_somebody_comes(tmp_path: Path) -> None:
    async def play(app: Starlette) -> list[int]:
        async with client_from(app) as client:
            await client.get("/demo/dashboard")
            await client.get("/demo/dashboard")
            return [(await client.get("/api/admin/studies")).status_code]

    with demo(tmp_path) as app:
        assert finished(play(app)) == [200]


@pytest.mark.parametrize("path", ["/demo/dashboard", "/demo/report", "/demo/counts"])
@pytest.mark.parametrize("where", [{"address": "203.0.113.9"}, {"host": "rebound.example"}])
def test_the_doors_are_shut_to_other_machines_and_other_sites(tmp_path: Path, path: str, where: dict[str, str]) -> None:
    with demo(tmp_path) as app:
        refused = got(app, path, **where)
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


@pytest.mark.parametrize("path", ["/", "/demo/dashboard", "/demo/report", "/demo/counts"])
def test_a_server_without_a_demo_has_no_doors(tmp_path: Path, path: str) -> None:
    with demo(tmp_path, is_demo=False) as app:
        refused = got(app, path)
    assert (refused.status_code, "set-cookie" in refused.headers) == (404, False)


def test_the_landing_page_names_the_study_and_its_text_stays_text(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    (web / "landing.html").write_text('<h1>{{title}}</h1><p>{{lead}}</p><a href="/s/{{people}}">', encoding="utf-8")
    with demo(tmp_path, web=web) as app:
        page = got(app, "/").text
    assert page == f'<h1>{two_groups().shown_title}</h1><p>Look &amp; answer.</p><a href="/s/two-groups">'


def test_the_report_waits_for_enough_people(tmp_path: Path) -> None:
    async def complete(client: httpx.AsyncClient) -> None:
        person = Person(client, SIMULATED)
        client.headers.update(KEY)
        await person.start(synthetic=True)
        await person.finish()

    async def play(app: Starlette) -> list[httpx.Response]:
        async with client_from(app) as client:
            early = await client.get("/demo/report")
            for _ in range(4):
                client.cookies.clear()
                await complete(client)
            return [early, await client.get("/demo/report")]

    with demo(tmp_path) as app:
        early, later = finished(play(app))
    assert (early.headers["refresh"], "will be ready in a moment" in early.text) == ("3", True)
    assert later.content == REPORT


def test_the_rehearsal_shows_its_visitors_where_to_go(tmp_path: Path) -> None:
    with demo(tmp_path) as app:
        page = got(app, f"/s/{SIMULATED}")
    assert (page.status_code, "Simulated people only" in page.text) == (403, True)
