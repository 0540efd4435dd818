"""Headers, files, health, metrics and logs."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.playing import study_of
from tests.serve.stage_door import ADMIN, GENEROUS, Hands, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.prepare import prepare, write_prepared
from understudy.serve import Settings
from understudy.serve.guard import JsonLines


def get(app: Any, path: str, **headers: str) -> httpx.Response:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(path, headers=headers)

    got = played(app, play)
    assert isinstance(got, httpx.Response)
    return got


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


@pytest.fixture
def web(tmp_path: Path) -> Path:
    (tmp_path / "web" / "assets").mkdir(parents=True)
    (tmp_path / "web" / "player.html").write_text("<!doctype html><title>player</title>")
    (tmp_path / "web" / "assets" / "player-ab12.js").write_text("export {};" * 50)
    (tmp_path / "web" / "BUILD.json").write_text("{}")
    return tmp_path / "web"


@pytest.mark.parametrize("path", ["/s/two-groups", "/s/nowhere", "/api/s/two-groups/state", "/healthz", "/nowhere"])
def test_every_response_carries_the_strict_headers(folder: Path, web: Path, path: str) -> None:
    with server(folder, settings=Settings(web=web, recruiters=("https://jatos.example",))) as app:
        headers = get(app, path).headers
    assert "script-src 'self' 'wasm-unsafe-eval';" in headers["content-security-policy"]
    assert headers["content-security-policy"].endswith("frame-ancestors 'self' https://jatos.example")
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["permissions-policy"].startswith("camera=(), geolocation=()")
    assert "strict-transport-security" not in headers


@pytest.mark.parametrize("path", ["/admin", "/admin/", "/api/admin/studies", "/api/admin/studies/two-groups/report"])
def test_no_page_of_researchers_can_be_framed(folder: Path, web: Path, path: str) -> None:
    with server(folder, settings=Settings(web=web, recruiters=("https://jatos.example",))) as app:
        headers = get(app, path).headers
    assert headers["content-security-policy"].endswith("frame-ancestors 'none'")
    assert headers["x-frame-options"] == "DENY"


def test_behind_tls_browsers_are_told_to_stay_there(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get("https://study.example/healthz")

    with server(folder) as app:
        assert played(app, play).headers["strict-transport-security"] == "max-age=31536000"


def test_the_player_is_never_cached_and_its_scripts_for_ever(folder: Path, web: Path) -> None:
    with server(folder, settings=Settings(web=web)) as app:
        shell, script = get(app, "/s/two-groups"), get(app, "/static/player-ab12.js")
        again = get(app, "/static/assets/player-ab12.js", **{"if-none-match": '"assets/player-ab12.js"'})
    assert (shell.status_code, shell.headers["cache-control"]) == (200, "no-cache")
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    assert again.status_code == 304


@pytest.mark.parametrize("path", ["/static/BUILD.json", "/static/player.html", "/static/none.js", "/s/nowhere", "/"])
def test_what_is_not_there_gets_a_kind_page(folder: Path, web: Path, path: str) -> None:
    with server(folder, settings=Settings(web=web)) as app:
        got = get(app, path)
    assert (got.status_code, "check the link" in got.text) == (404, True)


def test_an_unknown_api_address_answers_in_json(folder: Path) -> None:
    with server(folder) as app:
        got = get(app, "/api/s/nowhere/state")
    assert (got.status_code, list(got.json())) == (404, ["error"])


def test_films_are_served_in_parts(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(bytes(range(256)) * 10)
    task = {"name": "video", "params": {"asset": "film.mp4"}}
    study = study_of({"kind": "screen", "block_id": "film", "purpose": "video", "task": task})
    folder = write_prepared(prepare(study, tmp_path), tmp_path / "run")

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, study.name)
        await person.start()
        await person.answer()
        address = f"/m/{person.state['study']['digest']}/{person.state['preload'][0]}"
        return await client.get(address, headers={"Range": "bytes=10-19"})

    with server(folder) as app:
        got = played(app, play)
    assert (got.status_code, got.content) == (206, bytes(range(10, 20)))
    assert got.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_health_and_readiness(folder: Path) -> None:
    with server(folder) as app:
        assert (get(app, "/healthz").status_code, get(app, "/readyz").status_code) == (200, 200)


def test_a_server_that_cannot_store_is_not_ready(folder: Path) -> None:
    with server(folder) as app:
        app.state.server.close()
        got = get(app, "/readyz")
    assert got.status_code == 503


def test_a_server_on_a_full_disk_is_not_ready_although_its_log_has_room_in_its_file(folder: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows limits no sizes of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    hands = Hands()
    with server(folder, clock=hands) as app:
        assert get(app, "/readyz").status_code == 200
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * 1024, limits[1]))
        try:
            # Also for those who ask more often than it is tried.
            said = {(got.status_code, got.text) for got in (get(app, "/readyz") for _ in range(30))}
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert said == {(503, "the run folder cannot be written: File too large\n")}
        hands.ms += 2000
        assert get(app, "/readyz").status_code == 200


def test_a_thousand_people_behind_one_address_start_together(tmp_path: Path) -> None:
    async def come(client: httpx.AsyncClient, number: int) -> int:
        body = {"recruiter": {"PROLIFIC_PID": f"p{number}"}}
        return (await client.post("/api/s/two-groups/start", json=body)).status_code

    async def all_come(client: httpx.AsyncClient) -> set[int]:
        return set(await asyncio.gather(*(come(client, number) for number in range(1000))))

    crowd = folder_of(two_groups(assignment={"quota": 1000}), tmp_path / "crowd")
    with server(crowd, settings=Settings()) as app:
        assert played(app, all_come) == {201}


def test_an_answer_that_cannot_be_stored_is_not_acknowledged(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = Person(client, "two-groups")
        await person.start()
        app.state.server.close()
        return await person.answer()

    with server(folder) as app:
        got = played(app, play)
    assert (got.status_code, got.headers["retry-after"], list(got.json())) == (503, "2", ["error"])


def test_a_fault_of_ours_shows_no_traceback(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server(folder) as app:
        monkeypatch.setattr(app.state.server, "states", None)
        got = get(app, "/api/s/two-groups/state", Authorization="Bearer x")
        started = played(app, lambda client: client.post("/api/s/two-groups/start", json={}))
    assert got.status_code == 401
    assert (started.status_code, "Traceback" in started.text, list(started.json())) == (500, False, ["error"])


def test_metrics_count_requests_and_sessions_for_researchers_only(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> None:
        await Person(client, "two-groups").start()

    with server(folder) as app:
        played(app, play)
        closed = get(app, "/metrics")
        text = get(app, "/metrics", Authorization=f"Bearer {ADMIN}").text
    assert closed.status_code == 401
    assert 'understudy_requests_total{route="start",status="201"} 1' in text
    assert 'understudy_sessions_active{study="two-groups"} 1' in text


def test_logs_are_json_and_name_nobody(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="understudy.serve")

    async def play(client: httpx.AsyncClient) -> str:
        person = Person(client, "two-groups", PROLIFIC_PID="5f0c0ffee")
        await person.start()
        await person.send([{"type": "nonsense"}])
        return person.token

    with server(folder) as app:
        token = played(app, play)
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "understudy.serve"]
    assert {json.loads(line)["status"] for line in lines} == {201, 422}
    assert not any(word in line for word in ("5f0c0ffee", token.partition(".")[0]) for line in lines)


def test_the_end_leads_back_to_the_recruiter(folder: Path) -> None:
    urls = {"two-groups": "https://recruiter.example/done?cc={code}"}

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups")
        await person.start()
        return await person.finish()

    with server(folder, settings=Settings(completion_urls=urls, session_burst=GENEROUS.session_burst)) as app:
        ended = played(app, play)
    assert ended["redirect"] == f"https://recruiter.example/done?cc={ended['code']}"


def test_cookies_are_closed_to_scripts_and_secure_over_https(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> str:
        got = await client.post("https://study.example/api/s/two-groups/start", json={})
        return str(got.headers["set-cookie"])

    with server(folder) as app:
        cookie = played(app, play)
    assert all(part in cookie for part in ("HttpOnly", "SameSite=lax", "Secure", "Path=/", "Max-Age=2592000"))
