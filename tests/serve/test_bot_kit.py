"""Bots are refused, or flagged where researchers look."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from tests.loops import finished
from tests.playing import stage, study_of
from tests.serve.bots import chatter, flood, forge_times, nested, skip_looking
from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, Hands, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.actions.report import report_of
from understudy.actions.run_folder import existing_run
from understudy.record import open_log
from understudy.serve import Settings
from understudy.serve.guard import JsonLines, LineLimit
from understudy.serve.hosting import DeadlineProtocol, most_connections

SENTENCE = "The page claims more time than passed on the server; such times count only as far as they can be true."


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """A run in which a bot finished in a third of a second and claimed three seconds for each step."""
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> dict[str, Any]:
        return await forge_times(Person(client, "two-groups"), clock, claimed_ms=3000, real_ms=12)

    folder = folder_of(study_of(stage("predict"), pay={"base": 2}), tmp_path / "run")
    with server(folder, clock=clock) as app:
        assert played(app, play)["outcome"] == "completed"
    return folder


def test_the_list_of_sessions_warns_of_forged_times(forged: Path) -> None:
    async def look(client: httpx.AsyncClient) -> Any:
        listed = await client.get("/api/admin/studies/two-groups/sessions", headers=ADMIN_HEADERS)
        return listed.json()["rows"]

    with server(forged) as app:
        (row,) = played(app, look)
    assert (row["warnings"], row["minutes"] < 0.1) == ([SENTENCE, "Same answers: 12 times the same to guess."], True)


def test_the_replay_shows_researchers_where_times_were_forged(forged: Path) -> None:
    async def look(client: httpx.AsyncClient) -> Any:
        base = "/api/admin/studies/two-groups/sessions"
        (row,) = (await client.get(base, headers=ADMIN_HEADERS)).json()["rows"]
        return (await client.get(f"{base}/{row['session_id']}", headers=ADMIN_HEADERS)).json()

    with server(forged) as app:
        record = played(app, look)
    flagged = [event for event in record["events"] if event["type"] == "session_flagged"]
    assert [(event["flag"], event["reason"]) for event in flagged] == [("impossible_times", SENTENCE)]
    assert all("received_ms" in event for event in record["events"] if event["stream"] == "page")


def test_the_report_says_how_many_sessions_claim_impossible_times(forged: Path, tmp_path: Path) -> None:
    results = report_of(existing_run(forged), tmp_path / "report.html")
    sentence = "1 session claims more time than passed on the server"
    assert any(note.startswith(sentence) for note in results.findings.provenance.deviations)
    assert sentence in (tmp_path / "report.html").read_text()


def test_an_answer_without_a_look_is_refused(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await skip_looking(Person(client, "two-groups"))

    with server(folder_of(two_groups(), tmp_path)) as app:
        got = played(app, play)
    assert (got.status_code, "answered before it was shown" in got.json()["error"]) == (422, True)


def test_a_flood_of_arrivals_stops_at_the_limit_of_the_study(tmp_path: Path) -> None:
    study = two_groups(access={"new_per_hour": 24})

    async def play(client: httpx.AsyncClient) -> list[int]:
        return await flood(client, "two-groups", 12)

    with server(folder_of(study, tmp_path), clock=Hands()) as app:
        statuses = played(app, play)
    assert (statuses.count(201), statuses.count(429)) == (2, 10)


def test_a_flood_of_arrivals_stops_at_the_limit_of_the_server(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        return await flood(client, "two-groups", 12)

    few = replace(GENEROUS, arrival_rate=1.0, arrival_burst=3.0)
    with server(folder_of(two_groups(), tmp_path), clock=Hands(), settings=few) as app:
        assert played(app, play).count(429) == 9


@pytest.mark.parametrize(
    "settings",
    [replace(GENEROUS, session_bytes=3000), replace(GENEROUS, session_events=3)],
    ids=["bytes", "events"],
)
def test_a_page_that_stores_without_end_is_stopped_and_can_still_answer(tmp_path: Path, settings: Settings) -> None:
    person: list[Person] = []

    async def play(client: httpx.AsyncClient) -> tuple[list[int], int]:
        person.append(Person(client, "two-groups"))
        statuses = await chatter(person[0], n_bytes=1000, n_batches=6)
        return statuses, (await person[0].answer()).status_code

    with server(folder_of(two_groups(), tmp_path), settings=settings) as app:
        statuses, answered = played(app, play)
    assert statuses[0] == 200
    assert statuses[-2:] == [413, 413]
    assert answered == 200


def test_what_a_session_stored_counts_after_a_restart(tmp_path: Path) -> None:
    folder = folder_of(two_groups(), tmp_path)
    settings = replace(GENEROUS, session_bytes=3000)
    cookies = httpx.Cookies()

    async def play(client: httpx.AsyncClient) -> list[int]:
        client.cookies = cookies
        statuses = await chatter(Person(client, "two-groups"), n_bytes=1000, n_batches=2)
        cookies.update(client.cookies)
        return statuses

    found = []
    for _ in range(3):
        with server(folder, settings=settings) as app:
            found += played(app, play)
    assert found[0] == 200
    assert found[-1] == 413


@pytest.mark.parametrize("depth", [300, 100_000])
def test_deep_json_is_refused_with_one_sentence(tmp_path: Path, depth: int) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = Person(client, "two-groups")
        await person.start()
        headers = {**person.headers, "Content-Type": "application/json"}
        return await client.post(f"{person.base}/events", content=nested(depth), headers=headers)

    with server(folder_of(two_groups(), tmp_path)) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["error"]) == (422, "The body is not a JSON object.")
    with open_log(tmp_path / "events.sqlite") as log:
        assert log.count_events() == 1


class _Quick(DeadlineProtocol):
    header_s = 0.02


@contextlib.asynccontextmanager
async def _listening(app: Any, protocol: type[DeadlineProtocol]) -> AsyncIterator[tuple[str, int]]:
    """Serve an app for the block, and yield where."""
    config = uvicorn.Config(app, lifespan="off", log_config=None)
    config.load()
    state = uvicorn.Server(config).server_state
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(
        lambda: protocol(config=config, server_state=state, app_state={}, _loop=loop), "127.0.0.1", 0
    )
    async with listening:
        yield listening.sockets[0].getsockname()


async def _refusal(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def _half_open(sent: bytes) -> bytes:
    """Send the beginning of a request and return what comes back until the server closes the connection."""
    async with _listening(_hello, _Quick) as place:
        reader, writer = await asyncio.open_connection(*place)
        writer.write(sent)
        found = await reader.read()
        writer.close()
    return found


async def _hello(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"connection", b"close")]})
    await send({"type": "http.response.body", "body": b"hello"})


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_a_connection_whose_headers_do_not_come_is_closed(sent: bytes) -> None:
    assert finished(_half_open(sent)) == b""


def test_a_whole_request_is_served() -> None:
    assert b"hello" in finished(_half_open(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"))


def test_a_body_that_nobody_wants_is_not_read_to_its_end() -> None:
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n"

    async def send_on() -> tuple[int, bytes]:
        async with _listening(_refusal, DeadlineProtocol) as place:
            reader, writer = await asyncio.open_connection(*place)
            writer.write(head)
            answer = await reader.readuntil(b"hello")
            n_sent = 0
            with contextlib.suppress(ConnectionError):
                while n_sent < 200_000_000:
                    writer.write(bytes(65_536))
                    await writer.drain()
                    n_sent += 65_536
            writer.close()
        return n_sent, answer

    n_sent, answer = finished(send_on())
    assert b"413" in answer
    # What the buffers of both sockets take is sent and not read.
    assert n_sent < 20_000_000


def test_a_body_that_is_a_little_too_long_still_gets_its_answer() -> None:
    sent = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n" + bytes(600_000)

    async def twice() -> list[bytes]:
        async with _listening(_refusal, DeadlineProtocol) as place:
            reader, writer = await asyncio.open_connection(*place)
            answers = []
            for _ in range(2):
                writer.write(sent)
                await writer.drain()
                answers.append(await reader.readuntil(b"hello"))
            writer.close()
        return answers

    assert [b"413" in answer for answer in finished(twice())] == [True, True]


def test_open_connections_leave_room_for_the_log() -> None:
    assert 64 <= most_connections() <= 4096


def test_a_body_that_does_not_come_is_given_up(tmp_path: Path) -> None:
    async def never() -> Any:
        yield b"{"
        await asyncio.Event().wait()

    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post(
            "/api/s/two-groups/start", content=never(), headers={"Content-Type": "application/json"}
        )

    with server(folder_of(two_groups(), tmp_path), settings=replace(GENEROUS, body_s=0.02)) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["error"]) == (408, "The request took too long to arrive; send it again.")


def test_a_flood_of_refusals_writes_few_lines_and_says_how_many_it_left_out() -> None:
    now = [0.0]
    limit = LineLimit(rate=1.0, burst=2.0, seconds=lambda: now[0])
    lines = [logging.makeLogRecord({"msg": "request"}) for _ in range(10)]
    assert [limit.filter(line) for line in lines].count(True) == 2
    now[0] = 5.0
    later = logging.makeLogRecord({"msg": "request"})
    assert limit.filter(later)
    assert json.loads(JsonLines().format(later))["n_dropped"] == 8
