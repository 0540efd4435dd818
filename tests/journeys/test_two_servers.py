"""Journey: a second server or a rehearsal on a folder that is served is sent away; a dead server keeps nobody out.

With a database for the events, two servers share a folder.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.journeys.http_people import StubbornPerson
from tests.loops import finished
from tests.ports import free_port
from tests.postgres_server import PostgresServer
from tests.shell import understudy
from tests.small_studies import two_groups
from understudy.actions.study_files import write_study

pytest_plugins = ["tests.log_places"]

IN_USE = "is in use by another understudy serve or rehearse; stop that one first"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write_study(two_groups(), tmp_path / "study.toml")


@pytest.fixture
def folder(study: Path, tmp_path: Path) -> Path:
    understudy("prepare", study, "--out", tmp_path / "run")
    return tmp_path / "run"


@contextmanager
def serving(folder: Path, *more: str, port: int | None = None) -> Iterator["subprocess.Popen[str]"]:
    """Serve a folder in a process of its own, from the moment it says so."""
    words = [sys.executable, "-m", "understudy", "serve", str(folder), "--web", str(folder), *more]
    words += ["--port", str(port or free_port())]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Participants:")
            yield process
        finally:
            process.kill()


def test_a_second_server_gets_one_sentence_and_exit_code_2(folder: Path) -> None:
    with serving(folder):
        second = understudy("serve", folder, "--port", free_port(), "--web", folder)
    assert (second.code, second.out) == (2, "")
    assert IN_USE in second.err
    assert len(second.err.strip().splitlines()) == 1


def test_a_rehearsal_stays_out_of_a_served_folder(study: Path, folder: Path) -> None:
    with serving(folder):
        rehearsal = understudy("rehearse", study, "--out", folder)
    assert rehearsal.code == 2
    assert IN_USE in rehearsal.err


def test_a_killed_server_leaves_its_folder_free(folder: Path) -> None:
    with serving(folder) as first:
        first.kill()
        first.wait()
        assert first.returncode == -signal.SIGKILL
        with serving(folder) as second:
            assert second.poll() is None


def test_a_folder_given_twice_is_told_as_that(folder: Path) -> None:
    shown = understudy("serve", folder, folder, "--port", free_port(), "--web", folder)
    assert (shown.code, "is given twice" in shown.err) == (2, True)


def test_two_servers_share_a_folder_whose_events_are_in_a_database(
    folder: Path, study: Path, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, ports = postgres_server.new_database(), [free_port(), free_port()]
    bases = [f"http://127.0.0.1:{port}" for port in ports]
    people = [StubbornPerson(bases, "two-groups", number, lambda: None) for number in range(3)]

    async def play() -> None:
        await asyncio.gather(*(person.take_part() for person in people))

    # The second finds the database in the folder.
    with serving(folder, "--database", url, port=ports[0]), serving(folder, port=ports[1]):
        finished(play())
        monkeypatch.setenv("UNDERSTUDY_SECRET", "another secret of at least thirty-two characters")
        stranger = understudy("serve", folder, "--port", free_port(), "--web", folder)
        rehearsal = understudy("rehearse", study, "--out", folder)
    assert {person.outcome for person in people} == {"completed"}
    assert (stranger.code, len(stranger.err.strip().splitlines())) == (2, 1)
    assert "came under another secret than that of this process" in stranger.err
    assert "for real people on one or more servers" in rehearsal.err
    counted = json.loads(understudy("status", folder, "--json").out)
    assert sum(row["n_completed"] for row in counted) == 3
