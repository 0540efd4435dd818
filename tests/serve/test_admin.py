"""The researchers' side: the door, the counts, the replay, exclusions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, GENEROUS, Person, client_of, folder_of, played, server
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.serve.desk.sign_in import COOKIE

CSRF = {"X-Understudy-Admin": "1"}
STUDIES = "/api/admin/studies"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path)


async def login(client: httpx.AsyncClient, token: str = ADMIN) -> int:
    return (await client.post("/api/admin/login", json={"token": token}, headers=CSRF)).status_code


async def finished(client: httpx.AsyncClient) -> str:
    person = Person(client, "two-groups")
    await person.start()
    await person.finish()
    return person.token.partition(".")[0]


@pytest.mark.parametrize("path", ["", "/two-groups/sessions", "/two-groups/sessions/x", "/two-groups/report", "/two-groups/export"])  # fmt: skip
def test_nothing_is_shown_without_a_pass(folder: Path, path: str) -> None:
    with server(folder) as app:
        got = played(app, lambda client: client.get(f"{STUDIES}{path}"))
    assert got.status_code == 401


def test_the_token_gives_a_pass(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        return [await login(client), (await client.get(STUDIES)).status_code]

    with server(folder) as app:
        assert played(app, play) == [200, 200]


def test_five_wrong_tokens_lock_the_door_even_for_the_right_one(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        return [await login(client, "guess") for _ in range(5)] + [await login(client)]

    with server(folder) as app:
        assert played(app, play) == [401] * 5 + [429]


def test_a_forged_pass_opens_nothing(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> set[int]:
        forged = [f"9999999999999.{'0' * 64}", "1.", "x.y", ""]
        return {(await client.get(STUDIES, headers={"Cookie": f"{COOKIE}={one}"})).status_code for one in forged}

    with server(folder) as app:
        assert played(app, play) == {401}


def test_a_change_needs_the_header_other_sites_cannot_set(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        session_id = await finished(client)
        await login(client)
        got = await client.post(f"{STUDIES}/two-groups/sessions/{session_id}/exclude", json={"reason": "x"})
        return got.status_code

    with server(folder) as app:
        assert played(app, play) == 403


def test_the_one_time_link_works_once(folder: Path) -> None:
    with server(folder, settings=replace(GENEROUS, once="only-once")) as app:

        async def play(client: httpx.AsyncClient) -> list[int]:
            first = await client.get("/admin?once=only-once")
            inside = await client.get(STUDIES)
            async with client_of(app) as other:
                second = await other.get("/admin?once=only-once")
            return [first.status_code, inside.status_code, second.status_code]

        assert played(app, play) == [303, 200, 403]


def test_the_counts_follow_the_sessions(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        for number in range(4):
            person = Person(client, "two-groups", PROLIFIC_PID=str(number))
            await person.start()
            if number < 2:
                await person.finish()
        return (await client.get(STUDIES, headers=ADMIN_HEADERS)).json()[0]

    with server(folder) as app:
        study = played(app, play)
    assert (study["name"], study["kinds"]) == ("two-groups", {"person": 4})
    cells = [(cell["assigned"], cell["active"], cell["completed"]) for cell in study["cells"]]
    assert [sum(one) for one in zip(*cells, strict=True)] == [4, 2, 2]


def test_sessions_are_listed_by_the_page_and_filtered(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        for number in range(4):
            person = Person(client, "two-groups", PROLIFIC_PID=str(number))
            await person.start()
            if number == 0:
                await person.finish()
        paths = ["?limit=3", "?outcome=completed", "?outcome=active&offset=2", "?limit=no"]
        return [
            (await client.get(f"{STUDIES}/two-groups/sessions{path}", headers=ADMIN_HEADERS)).json() for path in paths
        ]

    with server(folder) as app:
        page, completed, active, fault = played(app, play)
    assert (page["total"], len(page["rows"])) == (4, 3)
    assert (completed["total"], active["total"], len(active["rows"])) == (1, 3, 1)
    assert "error" in fault


def test_the_replay_holds_the_screens_the_participant_saw(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups")
        await person.start()
        screens = []
        while person.state["ended"] is None:
            screens.append(person.state["step"])
            await person.answer()
        session_id = person.token.partition(".")[0]
        got = await client.get(f"{STUDIES}/two-groups/sessions/{session_id}", headers=ADMIN_HEADERS)
        return screens, got.json()

    with server(folder) as app:
        screens, replay = played(app, play)
    # Minutes and progress follow from all people so far, so that a replay may say them otherwise.
    learned = {"minutes_left": None, "progress": None}
    assert [step | learned for step in replay["steps"]] == [screen | learned for screen in screens]
    assert [event["type"] for event in replay["events"][-2:]] == ["response_given", "session_ended"]


def test_an_exclusion_is_a_desk_event_and_frees_the_place(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        session_id = await finished(client)
        address = f"{STUDIES}/two-groups/sessions/{session_id}/exclude"
        bare = await client.post(address, json={"reason": " "}, headers=ADMIN_HEADERS)
        done = await client.post(address, json={"reason": "Answered at random."}, headers=ADMIN_HEADERS)
        twice = await client.post(address, json={"reason": "Again."}, headers=ADMIN_HEADERS)
        cells = (await client.get(STUDIES, headers=ADMIN_HEADERS)).json()[0]["cells"]
        return [bare.status_code, done.status_code, twice.status_code], sum(cell["excluded"] for cell in cells)

    with server(folder) as app:
        assert played(app, play) == ([422, 200, 409], 1)
    with open_log(folder / "events.sqlite") as log:
        (events,) = log.sessions()
    assert [(event.stream, event.seq) for event in events if event.type == "session_excluded"] == [("desk", 1)]


def test_report_and_export_are_made_on_request(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        return [
            await client.get(f"{STUDIES}/two-groups/{what}", headers=ADMIN_HEADERS) for what in ("report", "export")
        ]

    with server(folder) as app:
        running = app.state.server.studies["two-groups"]
        running.served = replace(running.served, report=lambda: b"<html>", export=None)
        report, export = played(app, play)
    assert (report.status_code, report.content, export.status_code) == (200, b"<html>", 404)


def test_a_report_may_hold_its_own_styles_and_no_script(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(f"{STUDIES}/two-groups/report", headers=ADMIN_HEADERS)

    with server(folder) as app:
        running = app.state.server.studies["two-groups"]
        running.served = replace(running.served, report=lambda: b"<html>")
        policies = played(app, play).headers.get_list("content-security-policy")
    assert len(policies) == 1
    assert "style-src 'unsafe-inline'" in policies[0]
    assert "script-src" not in policies[0]
