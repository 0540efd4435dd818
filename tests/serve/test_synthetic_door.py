"""The door for simulated people: open to the holder of the admin token only, and never to both kinds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.schema import Event, SessionEnded, SessionStarted
from understudy.serve.participant_routes import TOKEN_HEADER

WITH_TOKEN = {TOKEN_HEADER: ADMIN}
START = "/api/s/two-groups/start"
LEAVE = "/api/s/two-groups/leave"


def stored(folder: Path) -> list[Event]:
    with open_log(folder / "events.sqlite") as log:
        return [event for session in log.sessions("two-groups") for event in session]


def starts(folder: Path) -> list[SessionStarted]:
    return [event for event in stored(folder) if isinstance(event, SessionStarted)]


def posted(folder: Path, *bodies: Mapping[str, Any], headers: Mapping[str, str] = WITH_TOKEN) -> list[httpx.Response]:
    async def play(client: httpx.AsyncClient) -> list[httpx.Response]:
        got = []
        for body in bodies:
            got.append(await client.post(START, json=body, headers=headers))
            client.cookies.clear()
        return got

    with server(folder_of(two_groups(), folder)) as app:
        answers: list[httpx.Response] = played(app, play)
    return answers


def test_who_comes_with_the_token_is_recorded_as_synthetic(tmp_path: Path) -> None:
    body = {"synthetic": True, "participant_id": "synthetic-person-000007", "cast": "careful"}
    assert [one.status_code for one in posted(tmp_path, body)] == [201]
    (started,) = starts(tmp_path)
    assert (started.participant_kind, started.participant_id, started.cast) == (
        "synthetic", "synthetic-person-000007", "careful",
    )  # fmt: skip


def test_a_simulated_person_without_a_name_gets_one(tmp_path: Path) -> None:
    posted(tmp_path, {"synthetic": True})
    assert starts(tmp_path)[0].participant_id.startswith("synthetic-")


def test_a_simulated_person_who_comes_back_goes_on_with_their_session(tmp_path: Path) -> None:
    body = {"synthetic": True, "participant_id": "synthetic-a"}
    assert [one.status_code for one in posted(tmp_path, body, body)] == [201, 200]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {TOKEN_HEADER: ""},
        {TOKEN_HEADER: "a guess"},
        {"Authorization": f"Bearer {ADMIN}"},
        {"X-Understudy-Admin": "1"},
    ],
)
def test_nobody_else_can_claim_to_be_synthetic(tmp_path: Path, headers: dict[str, str]) -> None:
    (got,) = posted(tmp_path, {"synthetic": True}, headers=headers)
    assert (got.status_code, stored(tmp_path)) == (403, [])


def test_a_researchers_pass_in_a_cookie_does_not_open_the_door(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        signed_in = await client.post("/api/admin/login", json={"token": ADMIN}, headers={"X-Understudy-Admin": "1"})
        return [signed_in.status_code, (await client.post(START, json={"synthetic": True})).status_code]

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [200, 403]


def test_guessing_closes_the_door_for_a_while(tmp_path: Path) -> None:
    got = posted(tmp_path, *[{"synthetic": True}] * 7, headers={TOKEN_HEADER: "a guess"})
    assert [one.status_code for one in got] == [403] * 5 + [429] * 2


@pytest.mark.parametrize(
    "body",
    [
        {"participant_id": "synthetic-a"},
        {"cast": "careful"},
        {"synthetic": False, "cast": "careful"},
        {"synthetic": "yes"},
        {"synthetic": True, "participant_id": "p-0123"},
        {"synthetic": True, "cast": 3},
    ],
)
def test_a_claim_that_does_not_fit_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    assert posted(tmp_path, body)[0].status_code == 422
    assert stored(tmp_path) == []


@pytest.mark.parametrize("first", [True, False])
def test_a_study_takes_the_kind_that_came_first(tmp_path: Path, first: bool) -> None:
    got = posted(tmp_path, {"synthetic": first}, {"synthetic": not first, "recruiter": {"PROLIFIC_PID": "5f0c0ffee"}})
    assert [one.status_code for one in got] == [201, 409]
    assert len(starts(tmp_path)) == 1
    assert b"5f0c0ffee" not in (tmp_path / "people.sqlite").read_bytes()


async def left(client: httpx.AsyncClient, session_id: str, headers: Mapping[str, str] = WITH_TOKEN) -> int:
    return (await client.post(LEAVE, json={"session_id": session_id}, headers=headers)).status_code


def test_a_simulated_person_who_left_is_not_waited_for(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        token = (await client.post(START, json={"synthetic": True}, headers=WITH_TOKEN)).json()["token"]
        return [await left(client, token.split(".")[0]) for _ in range(2)]

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [200, 200]
    assert [one.outcome for one in stored(tmp_path) if isinstance(one, SessionEnded)] == ["abandoned"]


def test_nobody_can_end_a_real_persons_session(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = Person(client, "two-groups")
        await person.start()
        session_id = person.token.split(".")[0]
        return [await left(client, session_id), await left(client, session_id, ADMIN_HEADERS), await left(client, "x")]

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [403, 403, 404]
    assert not any(isinstance(one, SessionEnded) for one in stored(tmp_path))
