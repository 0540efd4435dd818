"""Named researchers: passwords, roles, a sign-out that counts on the server, and who did what."""

import asyncio
import logging
import shutil
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.loops import finished
from tests.serve.accounts import PASSWORD
from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, GENEROUS, Hands, Person, client_of, folder_of, played, server
from tests.small_studies import two_groups
from understudy.errors import UnderstudyError
from understudy.record import desk_in, open_log
from understudy.serve.desk.researchers import Researchers
from understudy.serve.desk.sign_in import COOKIE

CSRF = {"X-Understudy-Admin": "1"}
STUDY = "/api/admin/studies/two-groups"
Play = Callable[[httpx.AsyncClient], Awaitable[Any]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path)


@pytest.fixture
def named(folder: Path, stored_accounts: Path) -> Path:
    """A study served to named researchers."""
    shutil.copy(stored_accounts, folder / "researchers.sqlite")
    return folder


def desk(folder: Path, play: Play) -> Any:
    with server(folder, settings=replace(GENEROUS, researchers=folder / "researchers.sqlite")) as app:
        return played(app, play)


def still(folder: Path) -> AbstractContextManager[Starlette]:
    """Serve to researchers while the clock stands still."""
    return server(folder, clock=Hands(), settings=replace(GENEROUS, researchers=folder / "researchers.sqlite"))


async def sign_in(client: httpx.AsyncClient, role: str, password: str = PASSWORD) -> httpx.Response:
    return await client.post("/api/admin/login", json={"name": f"an-{role}", "password": password}, headers=CSRF)


async def arrived(client: httpx.AsyncClient, name: str = "one") -> Person:
    person = Person(client, "two-groups", PROLIFIC_PID=name)
    await person.start()
    return person


def session_of(person: Person) -> str:
    return person.token.partition(".")[0]


def actions_in(folder: Path) -> list[tuple[str, str]]:
    with open_log(folder / "events.sqlite") as log:
        return [(action.actor, action.action) for action in reversed(log.desk_actions("two-groups"))]


def test_a_name_and_its_password_open_the_dashboard(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        before = (await client.get("/api/admin/me")).json()
        done = await sign_in(client, "viewer")
        return before, done.status_code, (await client.get("/api/admin/me")).json()

    before, status, after = desk(named, play)
    assert before == {"asks_for": "password", "name": None, "role": None, "may": []}
    assert (status, after["name"], after["role"], after["may"]) == (200, "an-viewer", "viewer", ["look"])


def test_wrong_passwords_and_names_get_the_same_answer_and_then_none(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        tries = [await sign_in(client, role, "not this one, surely") for role in ("owner", "nobody", "owner") * 2]
        return [(got.status_code, got.json()["error"]) for got in tries]

    said = desk(named, play)
    assert said[:5] == [(401, "Name or password is not right.")] * 5
    assert said[5][0] == 429
    assert actions_in(named)[:2] == [("an-owner", "sign_in_refused"), ("unknown name", "sign_in_refused")]


def test_of_many_guesses_at_one_moment_five_are_judged(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Counter[int]:
        guesses = [f"guess number {number}, wrong" for number in range(299)]
        # The right one comes last, when the address is closed long since.
        came = [sign_in(client, "owner", password) for password in (*guesses, PASSWORD)]
        return Counter(got.status_code for got in await asyncio.gather(*came))

    with still(named) as app:
        assert played(app, play) == {401: 5, 429: 295}


def test_of_many_guesses_from_many_addresses_twenty_are_judged_for_a_name(named: Path) -> None:
    async def play(app: Starlette) -> Counter[int]:
        async def guess(number: int) -> int:
            async with client_of(app, f"192.0.2.{number}") as client:
                return (await sign_in(client, "owner", f"guess number {number}, wrong")).status_code

        came: Counter[int] = Counter()
        for _ in range(30):
            came += Counter(await asyncio.gather(*(guess(number) for number in range(1, 31))))
        return came

    with still(named) as app:
        came = finished(play(app))
    assert set(came) == {401, 429, 503}
    assert came[401] == 20


def test_a_program_with_a_wrong_token_locks_out_no_person(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        asked = [await client.get("/api/admin/studies", headers={"Authorization": "Bearer outdated"}) for _ in range(9)]
        return [*(got.status_code for got in asked), (await sign_in(client, "owner")).status_code]

    assert desk(named, play) == [401] * 5 + [429] * 4 + [200]


def test_the_token_signs_in_nobody_while_people_have_names_but_serves_programs(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        by_token = await client.post("/api/admin/login", json={"token": ADMIN}, headers=CSRF)
        return [by_token.status_code, (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).status_code]

    assert desk(named, play) == [401, 200]


def test_a_pass_of_the_token_ends_with_the_first_name(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        await client.post("/api/admin/login", json={"token": ADMIN}, headers=CSRF)
        before = await client.get("/api/admin/studies")
        Researchers(desk_in(folder / "researchers.sqlite")).add("ada", "owner", PASSWORD)
        return [before.status_code, (await client.get("/api/admin/studies")).status_code]

    assert desk(folder, play) == [200, 401]


def test_signing_out_makes_a_copied_cookie_worthless(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        await sign_in(client, "owner")
        copied = {"Cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
        before = await client.get("/api/admin/studies", headers=copied)
        await client.post("/api/admin/logout", json={}, headers=CSRF)
        client.cookies.clear()
        return [before.status_code, (await client.get("/api/admin/studies", headers=copied)).status_code]

    assert desk(named, play) == [200, 401]


@pytest.mark.parametrize("change", ["remove", "set_password"])
def test_a_removed_or_renewed_account_is_signed_out_at_once(named: Path, change: str) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        await sign_in(client, "viewer")
        accounts = Researchers(desk_in(named / "researchers.sqlite"))
        getattr(accounts, change)("an-viewer", *(["another four random words"] if change == "set_password" else []))
        return (await client.get("/api/admin/studies")).status_code

    assert desk(named, play) == 401


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("viewer", ["sessions"]),
        ("annotator", ["texts"]),
        ("researcher", ["sessions", "label", "exclude", "recruitment", "export", "texts"]),
        ("owner", ["sessions", "label", "exclude", "recruitment", "export", "audit", "texts"]),
    ],
)
def test_each_role_may_do_what_it_is_for(named: Path, role: str, allowed: list[str]) -> None:
    async def play(client: httpx.AsyncClient) -> list[str]:
        session = f"{STUDY}/sessions/{session_of(await arrived(client))}"
        await sign_in(client, role)
        asked = {
            "sessions": client.get(f"{STUDY}/sessions"),
            "label": client.post(f"{session}/label", json={"about": "judgement", "label": "include"}, headers=CSRF),
            "exclude": client.post(f"{session}/exclude", json={"reason": "A test."}, headers=CSRF),
            "recruitment": client.post(f"{STUDY}/recruitment", json={"is_paused": True}, headers=CSRF),
            "export": client.get(f"{STUDY}/export"),
            "audit": client.get(f"{STUDY}/audit"),
            "texts": client.get("/api/admin/annotation"),
        }
        got = {name: await answer for name, answer in asked.items()}
        refused = [answer.json()["error"] for answer in got.values() if answer.status_code == 403]
        assert all(f"Your role ({role}) does not allow you to" in sentence for sentence in refused)
        return [name for name, answer in got.items() if answer.status_code == 200]

    with server(named, settings=replace(GENEROUS, researchers=named / "researchers.sqlite")) as app:
        running = app.state.server.studies["two-groups"]
        running.served = replace(running.served, export=lambda: b"zip")
        assert played(app, play) == allowed


def test_what_researchers_do_is_entered_under_their_names(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        session = session_of(await arrived(client))
        await sign_in(client, "researcher")
        for _ in range(2):  # a replay that stays open asks again and again
            await client.get(f"{STUDY}/sessions/{session}")
        label = {"about": "judgement", "label": "unsure"}
        await client.post(f"{STUDY}/sessions/{session}/label", json=label, headers=CSRF)
        await client.post(f"{STUDY}/sessions/{session}/exclude", json={"reason": "Asked us to."}, headers=CSRF)
        await client.post("/api/admin/logout", json={}, headers=CSRF)
        await sign_in(client, "owner")
        return session, (await client.get(f"{STUDY}/audit")).json()["entries"]

    session, entries = desk(named, play)
    mine = [entry for entry in reversed(entries) if entry["actor"] == "an-researcher"]
    deeds = ["signed_in", "session_opened", "session_labelled", "session_excluded", "signed_out"]
    assert [entry["action"] for entry in mine] == deeds
    assert [entry["session_id"] for entry in mine] == [None, session, session, session, None]
    with open_log(named / "events.sqlite") as log:
        desk_events = [event for event in log.session(session) if event.stream == "desk"]
        (summary,) = log.summaries("two-groups")
    assert [getattr(event, "annotator", None) or getattr(event, "actor", None) for event in desk_events] == [
        "an-researcher"
    ] * 2
    assert summary.last_event_ms < desk_events[0].at_ms  # what researchers do makes nobody's session longer


def test_an_erased_session_leaves_no_name_in_the_audit_log(named: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await arrived(client)
        await client.get(f"{STUDY}/sessions/{session_of(person)}", headers=ADMIN_HEADERS)
        await client.post("/api/s/two-groups/withdraw", json={"erase": True}, headers=person.headers)
        entries = (await client.get(f"{STUDY}/audit", headers=ADMIN_HEADERS)).json()["entries"]
        return session_of(person), entries

    session, entries = desk(named, play)
    assert [(entry["action"], entry["session_id"]) for entry in entries] == [("session_opened", None)]
    assert session.encode() not in (named / "events.sqlite").read_bytes()


def test_a_paused_study_lets_people_finish_and_nobody_start(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        begun = await arrived(client)
        await client.post(f"{STUDY}/recruitment", json={"is_paused": True}, headers=ADMIN_HEADERS)
        late = await Person(client, "two-groups", PROLIFIC_PID="late").start()
        again = await Person(client, "two-groups", PROLIFIC_PID="one").start()
        ended = await begun.finish()
        is_paused = (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).json()[0]["is_paused"]
        await client.post(f"{STUDY}/recruitment", json={"is_paused": False}, headers=ADMIN_HEADERS)
        now = await Person(client, "two-groups", PROLIFIC_PID="late").start()
        return late.json(), again.status_code, ended["outcome"], is_paused, now.status_code

    assert desk(folder, play) == ({"refused": "paused"}, 200, "completed", True, 201)


def test_a_pause_outlives_the_server(folder: Path) -> None:
    def paused(client: httpx.AsyncClient) -> Awaitable[Any]:
        return client.post(f"{STUDY}/recruitment", json={"is_paused": True}, headers=ADMIN_HEADERS)

    desk(folder, paused)
    assert desk(folder, lambda client: Person(client, "two-groups").start()).json() == {"refused": "paused"}


def test_passwords_are_stored_as_argon2_in_a_file_of_the_owner_and_never_logged(
    named: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        desk(named, lambda client: sign_in(client, "owner"))
        desk(named, lambda client: sign_in(client, "owner", "a wrong one with words"))
    path = named / "researchers.sqlite"
    (stored,) = (
        sqlite3.connect(path).execute("SELECT password_hash FROM researchers WHERE name = 'an-owner'").fetchone()
    )
    assert stored.startswith("$argon2id$")
    assert path.stat().st_mode & 0o777 == 0o600
    assert PASSWORD.encode() not in path.read_bytes()
    assert PASSWORD not in caplog.text
    assert "a wrong one" not in caplog.text


@pytest.mark.parametrize(
    ("name", "role", "password", "sentence"),
    [
        ("Ada Lovelace", "owner", PASSWORD, "cannot be a researcher's name"),
        ("rule", "owner", PASSWORD, "cannot be a researcher's name"),
        ("ada", "boss", PASSWORD, "'boss' is not a role. Choose from: owner, researcher"),
        ("ada", "viewer", PASSWORD, "The first researcher has to be an owner"),
        ("ada", "owner", "short", "too easy to guess"),
        ("ada", "owner", "aaaaaaaaaaaaaaaa", "too easy to guess"),
        ("ada", "owner", "ada-ada-wonderful-1", "too easy to guess"),
    ],
)
def test_a_bad_account_is_refused_in_one_sentence(name: str, role: str, password: str, sentence: str) -> None:
    with pytest.raises(UnderstudyError, match=sentence):
        Researchers(desk_in(None)).add(name, role, password)


def test_the_last_owner_stays() -> None:
    accounts = Researchers(desk_in(None))
    accounts.add("ada", "owner", PASSWORD)
    accounts.add("vic", "viewer", PASSWORD)
    with pytest.raises(UnderstudyError, match="'ada' is the only owner"):
        accounts.remove("ada")
    with pytest.raises(UnderstudyError, match="'ada' is the only owner"):
        accounts.set_role("ada", "viewer")


def test_a_file_that_is_no_database_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "researchers.sqlite"
    path.write_text("not a database, though it is long enough to look at" * 50)
    with pytest.raises(UnderstudyError, match=r"The file of researchers .* cannot be read or written"):
        desk_in(path)
