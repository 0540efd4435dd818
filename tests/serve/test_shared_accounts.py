"""Accounts of researchers in a shared database: the same on every machine, and moved there from a run folder."""

import asyncio
import io
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from tests.postgres_server import PostgresServer
from tests.serve.accounts import PASSWORD
from tests.serve.shared_servers import played_at, servers
from tests.serve.stage_door import folder_of
from tests.serve.test_recordings import heard_study
from tests.serve.test_researchers import CSRF, STUDY, sign_in
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.access import moved_accounts
from understudy.actions.backup import back_up, restore
from understudy.actions.run_folder import existing_run, use_database
from understudy.record import Account, desk_in, open_log
from understudy.serve.desk.researchers import Researchers
from understudy.serve.desk.sign_in import COOKIE

pytest_plugins = ["tests.log_places"]

ADA, VIC = Account("ada", "owner", "a hash"), Account("vic", "viewer", "another")


@pytest.fixture
def place(postgres_server: PostgresServer) -> str:
    return postgres_server.new_schema()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


def accounts_at(place: str) -> dict[str, Account]:
    with open_log(place) as log, log.desk().reading() as rows:
        return rows.accounts()


def written(folder: Path, *accounts: Account) -> Path:
    """Put accounts into the file of a run folder."""
    with desk_in(folder / "researchers.sqlite").writing() as rows:
        for account in accounts:
            rows.add(account)
    return folder


def move(folder: Path, place: str) -> str | None:
    with open_log(place) as log:
        return moved_accounts(folder, log.desk())


def test_a_sign_in_counts_on_every_machine_until_it_ends_on_one(folder: Path, place: str) -> None:
    with open_log(place) as log:
        Researchers(log.desk()).add("an-owner", "owner", PASSWORD)

    async def play(clients: list[httpx.AsyncClient]) -> list[Any]:
        here, there = clients
        await sign_in(here, "owner")
        there.cookies.set(COOKIE, here.cookies[COOKIE])
        before = (await there.get("/api/admin/me")).json()["name"]
        await there.post("/api/admin/logout", json={}, headers=CSRF)
        after = (await here.get("/api/admin/studies")).status_code
        await sign_in(there, "owner")
        entries = (await there.get(f"{STUDY}/audit")).json()["entries"]
        return [before, after, [entry["action"] for entry in reversed(entries)]]

    # Machines with folders of their own: nothing but the database is common.
    other = shutil.copytree(folder, folder.with_name("other"))
    with servers(folder, log_place=place, n=1) as here, servers(other, log_place=place, n=1) as there:
        said = played_at([*here, *there], play)
    assert said == ["an-owner", 401, ["signed_in", "signed_out", "signed_in"]]
    assert not (folder / "researchers.sqlite").exists()


def test_guesses_are_counted_together_by_all_machines(folder: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[Counter[int]]:
        rounds = []
        for password in ("wrong as all the others", PASSWORD):
            came = [sign_in(clients[number % 3], "owner", password) for number in range(300)]
            rounds.append(Counter(got.status_code for got in await asyncio.gather(*came)))
        return rounds

    with open_log(place) as log:
        Researchers(log.desk()).add("an-owner", "owner", PASSWORD)
    with servers(folder, log_place=place, n=3) as apps:
        wrong, right = played_at(apps, play)
    assert wrong == {401: 5, 429: 295}
    assert right == {429: 300}


def test_somebody_removed_from_the_database_is_out_on_every_machine(folder: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[int]:
        await sign_in(clients[0], "owner")
        cookie = clients[0].cookies[COOKIE]
        for client in clients:
            client.cookies.set(COOKIE, cookie)
        before = [(await client.get("/api/admin/studies")).status_code for client in clients]
        with open_log(place) as log:
            Researchers(log.desk()).remove("an-owner")
        return before + [(await client.get("/api/admin/studies")).status_code for client in clients]

    with open_log(place) as log:
        Researchers(log.desk()).add("an-owner", "owner", PASSWORD)
    with servers(folder, log_place=place) as apps:
        assert played_at(apps, play) == [200, 200, 401, 401]


def test_accounts_in_a_folder_move_into_the_database_once_and_it_is_told(folder: Path, place: str) -> None:
    written(folder, ADA, VIC)
    assert move(folder, place) == (
        f"The accounts in {folder / 'researchers.sqlite'} are now in the database, for all machines: ada, vic."
    )
    assert accounts_at(place) == {"ada": ADA, "vic": VIC}
    assert move(folder, place) is None
    assert not (folder / "researchers.sqlite").exists()


def test_an_old_file_brings_nobody_back(folder: Path, place: str) -> None:
    move(written(folder, ADA, VIC), place)
    with open_log(place) as log:
        Researchers(log.desk()).remove("vic")
    assert move(written(folder, ADA._replace(password_hash="an old one")), place) is None
    assert "(vic), and they are not used" in str(move(written(folder, VIC), place))
    assert accounts_at(place) == {"ada": ADA}


def test_the_command_changes_the_accounts_in_the_database(folder: Path, place: str) -> None:
    written(folder, ADA, VIC)
    use_database(existing_run(folder), place)
    with patch.object(sys, "stdin", io.StringIO(f"{PASSWORD}\n")):
        added = understudy("researchers", "add", folder, "kim")
    shown = understudy("researchers", "list", folder)
    assert "are now in the database, for all machines: ada, vic." in added.err
    assert (added.out, shown.out) == (
        "kim can sign in at /admin as researcher.\n",
        "ada\towner\nkim\tresearcher\nvic\tviewer\n",
    )
    assert sorted(accounts_at(place)) == ["ada", "kim", "vic"]


def test_serve_says_that_accounts_have_moved_and_that_recordings_have_not(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.cli.serve.host_app", lambda *_, **__: None)
    folder = written(folder_of(heard_study(), tmp_path / "run"), ADA)
    said = [understudy("serve", folder, "--database", place, "--web", folder) for _ in range(2)]
    moved = "are now in the database, for all machines: ada."
    assert [moved in shown.err for shown in said] == [True, False]
    assert all(f"records voices, in {folder / 'recordings'}. If several machines" in shown.out for shown in said)


def test_a_backup_of_a_database_keeps_accounts_but_no_sign_ins(
    folder: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    use_database(existing_run(folder), postgres_server.new_schema())
    with existing_run(folder).open_log() as log, log.desk().writing() as rows:
        rows.add(ADA)
        rows.enter_pass("the hash of a pass", "ada", 2_000_000_000_000)
    back_up(existing_run(folder), tmp_path / "copy", lambda: 1_700_000_000_000)
    with desk_in(tmp_path / "copy" / "researchers.sqlite").reading() as rows:
        assert (rows.accounts(), rows.holder_of("the hash of a pass", 0)) == ({"ada": ADA}, None)
    url = postgres_server.new_schema()
    restore(tmp_path / "copy", tmp_path / "again", url)
    assert accounts_at(url) == {"ada": ADA}
    assert not (tmp_path / "again" / "researchers.sqlite").exists()
