"""Journey: a server behind nginx and Caddy, as our files configure them, with certificates of an authority of our own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.certificates import Authority
from tests.journeys.http_people import StubbornPerson
from tests.journeys.proxied_server import TOKEN, Front, ServerProcess, caddy_before, client_from, nginx_before
from tests.loops import finished
from tests.playing import study_of
from tests.small_studies import two_groups
from understudy.actions.doctor_site import Patient, site_checks
from understudy.actions.run_folder import existing_run
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log

N_PEOPLE = 6
FILM = bytes(range(256)) * 16 * 1024
BEFORE = {"nginx": nginx_before, "caddy": caddy_before}


class Site(NamedTuple):
    """A server and the proxy in front of it."""

    name: str
    server: ServerProcess
    front: Front
    authority: Authority
    folder: Path

    def client(self, address: str = "127.0.0.1") -> httpx.Client:
        return client_from(address, self.front.base, self.authority)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, Path]]:
    folder = tmp_path_factory.mktemp("runs")
    (folder / "film.mp4").write_bytes(FILM)
    task = {"name": "video", "params": {"asset": "film.mp4"}}
    film = study_of({"kind": "screen", "block_id": "film", "purpose": "video", "task": task}, name="film")
    people = write_prepared(prepare(two_groups(assignment={"quota": 2 * N_PEOPLE}), Path()), folder / "people")
    server = ServerProcess(people, write_prepared(prepare(film, folder), folder / "film"))
    server.start()
    yield server, people
    server.close()


@pytest.fixture(scope="module", params=sorted(BEFORE))
def site(
    request: pytest.FixtureRequest,
    served: tuple[ServerProcess, Path],
    authority: Authority,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    server, folder = served
    place = tmp_path_factory.mktemp(request.param) / "proxy"
    with BEFORE[request.param](server.port, authority.certificate(), place) as front:
        yield Site(request.param, server, front, authority, folder)


def test_cookies_are_secure_and_browsers_are_told_to_stay_with_https(site: Site) -> None:
    with site.client() as client:
        got = client.post("/api/s/two-groups/start", json={"recruiter": {"PROLIFIC_PID": f"cookies-{site.name}"}})
        desk = client.post("/api/admin/login", json={"token": TOKEN}, headers={"X-Understudy-Admin": "1"})
    assert got.status_code == 201
    assert all("; Secure" in response.headers["set-cookie"] for response in (got, desk))
    assert got.headers["strict-transport-security"] == "max-age=31536000"
    assert "uvicorn" not in got.headers.get("server", "")


def test_limits_count_the_real_address_whatever_a_client_claims(site: Site) -> None:
    def guess(client: httpx.Client, claimed: str) -> int:
        headers = {"X-Understudy-Admin": "1", "X-Forwarded-For": claimed, "Forwarded": f"for={claimed}"}
        return client.post("/api/admin/login", json={"token": "a wrong token"}, headers=headers).status_code

    # An address for each proxy: the server counts them together.
    guesser, other = f"127.0.2.{ord(site.name[0])}", f"127.0.3.{ord(site.name[0])}"
    with site.client(guesser) as client, site.client(other) as neighbour:
        statuses = [guess(client, f"198.51.100.{k}") for k in range(6)]
        assert statuses == [401] * 5 + [429]
        assert guess(neighbour, "127.0.0.1") == 401
        assert client.get("/api/connection").json()["address"] == guesser


def test_the_numbers_of_the_server_stay_closed_to_the_world(site: Site) -> None:
    with site.client() as client:
        assert client.get("/metrics").status_code == 401


def test_large_files_come_by_ranges(site: Site) -> None:
    run = existing_run(site.folder.parent / "film")
    address = f"/m/{run.script.digest}/{run.prepared.materials.assets[0]}"
    with site.client() as client:
        part = client.get(address, headers={"Range": "bytes=1000000-1000999"})
        whole = client.get(address)
    assert (part.status_code, part.content) == (206, FILM[1_000_000:1_001_000])
    assert part.headers["content-range"] == f"bytes 1000000-1000999/{len(FILM)}"
    assert whole.content == FILM


def test_a_recorded_chunk_fits_through(site: Site) -> None:
    with site.client() as client:
        got = client.post("/api/s/two-groups/recordings", content=bytes(1024 * 1024))
    # Refused by the server for want of a session, and not by the proxy for its size.
    assert (got.status_code, got.headers["content-type"]) == (401, "application/json")


def test_the_doctor_is_green(site: Site) -> None:
    address = f"{site.front.base}/s/two-groups"
    checks = list(site_checks(Patient(address, authority=site.authority.file, http_port=site.front.http_port)))
    assert [check for check in checks if check.is_well is False] == []
    assert [check.name for check in checks if check.is_well is None] == (["http"] if site.name == "caddy" else [])
    assert len(checks) == 9


def test_a_restart_loses_no_answer(site: Site) -> None:
    async def play() -> list[StubbornPerson]:
        is_due = asyncio.Event()
        first = len(sessions_in(site.folder))

        async def restart() -> None:
            await is_due.wait()
            assert await asyncio.to_thread(site.server.stop) == 0
            site.server.start()

        people = [
            StubbornPerson(site.front.base, "two-groups", first + k, is_due.set, trusted=site.authority.trusted())
            for k in range(N_PEOPLE)
        ]
        await asyncio.gather(restart(), *(person.take_part() for person in people))
        return people

    people = finished(play())
    stored = sessions_in(site.folder)
    assert {person.outcome for person in people} == {"completed"}
    assert [stored[person.session_id] for person in people] == [person.n_acknowledged for person in people]
    assert [len(person.sent) for person in people] == [person.n_acknowledged for person in people]


def sessions_in(folder: Path) -> dict[str, int]:
    """Count the page events of every session."""
    with open_log(folder / "events.sqlite") as log:
        return {events[0].session_id: sum(event.stream == "page" for event in events) for events in log.sessions()}
