"""What a page may not do: gaps, second versions, forged numbers, other people's tokens, nonsense."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import Person, client_of, folder_of, page_events, played, server, typical
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.serve import Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


def n_stored(folder: Path) -> int:
    with open_log(folder / "events.sqlite") as log:
        return log.count_events()


async def entered(client: httpx.AsyncClient) -> Person:
    person = Person(client, "two-groups")
    await person.start()
    return person


def test_a_resent_batch_is_acknowledged_and_stored_once(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await entered(client)
        batch = page_events(person.state, typical(person.state["step"]["trial"]))
        first, second = await person.send(batch), await person.send(batch)
        return first.json(), second.json()

    with server(folder) as app:
        first, second = played(app, play)
    assert first["acknowledged_seq"] == second["acknowledged_seq"] == 3
    assert n_stored(folder) == 4


def test_a_batch_that_overlaps_continues_where_the_log_ends(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = await entered(client)
        shown, touched, answer = page_events(person.state, typical(person.state["step"]["trial"]))
        await person.send([shown, touched])
        return int((await person.send([touched, answer])).json()["acknowledged_seq"])

    with server(folder) as app:
        assert played(app, play) == 3


def test_a_conflicting_resend_is_refused(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = await entered(client)
        shown, touched, _ = page_events(person.state, {})
        await person.send([shown, touched])
        return await person.send([shown, {**touched, "action": "blur"}])

    with server(folder) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["expected_seq"], n_stored(folder)) == (409, 3, 3)


@pytest.mark.parametrize("seq", [2, 50, 2**40])
def test_a_gap_or_a_forged_number_is_refused(folder: Path, seq: int) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = await entered(client)
        return await person.send([{**page_events(person.state, {})[0], "seq": seq}])

    with server(folder) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["expected_seq"], n_stored(folder)) == (409, 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"response": {"consent": "perhaps"}},
        {"response": {}},
        {"response": {"consent": "I agree", "extra": 1}},
        {"step": 7},
        {"trial_id": "debrief.0"},
        {"rt_ms": -1},
        {"seq": "3"},
        {"at_ms": 10**30},
        {"stream": "engine"},
        {"session_id": "other"},
        {"note": "unknown field"},
        {"type": "session_ended", "outcome": "completed"},
    ],
    ids=str,
)
def test_a_faulty_answer_is_refused_and_its_batch_leaves_no_trace(folder: Path, change: dict[str, Any]) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await entered(client)
        *before, answer = page_events(person.state, {"consent": "I agree"})
        got = await person.send([*before, {**answer, **change}])
        return got.status_code, got.json()["error"], (await person.fetch())["next_seq"]

    with server(folder) as app:
        status, sentence, next_seq = played(app, play)
    assert (status, next_seq, n_stored(folder)) == (422, 1, 1)
    assert sentence


def test_a_fault_after_a_good_answer_undoes_the_whole_batch(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await entered(client)
        batch = page_events(person.state, {"consent": "I agree"})
        wrong = {**batch[0], "seq": 4, "step": 1, "trial_id": "nowhere"}
        got = await person.send([*batch, wrong])
        return got.status_code, (await person.fetch())["step"]["number"]

    with server(folder) as app:
        assert played(app, play) == (422, 0)
    assert n_stored(folder) == 1


def test_what_comes_after_the_end_does_not_spoil_the_last_answer(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await entered(client)
        batch = page_events(person.state, {"consent": "I do not agree"})
        late = {**batch[1], "seq": 4, "action": "page_hidden"}
        got = await person.send([*batch, late])
        again = await person.send([*batch, late])
        return got.json(), again.status_code, again.json()["state"]["ended"]["outcome"]

    with server(folder) as app:
        first, status, outcome = played(app, play)
    assert first["state"]["ended"]["outcome"] == "declined"
    assert (status, outcome) == (410, "declined")


@pytest.mark.parametrize("path", ["state", "events", "withdraw"])
def test_wrong_tokens_open_nothing(folder: Path, path: str) -> None:
    with server(folder) as app:

        async def play(client: httpx.AsyncClient) -> list[int]:
            person = await entered(client)
            session_id, _, mac = person.token.partition(".")
            other = "".join(reversed(session_id))
            forged = [
                "",
                "nonsense",
                session_id,
                f"{session_id}.",
                f"{session_id}.{'B' if mac[0] == 'A' else 'A'}{mac[1:]}",
                f"{other}.{mac}",
                "é.é",
            ]
            statuses = []
            async with client_of(app) as stranger:
                for token in forged:
                    headers = {"Authorization": f"Bearer {token}".encode()}
                    method = "GET" if path == "state" else "POST"
                    got = await stranger.request(method, f"{person.base}/{path}", headers=headers, content=b"{}")  # type: ignore[arg-type]
                    statuses.append(got.status_code)
            return statuses

        assert set(played(app, play)) == {401}
    assert n_stored(folder) == 1


def test_a_token_opens_only_its_own_session_and_study(folder: Path, tmp_path: Path) -> None:
    other = folder_of(two_groups(name="other"), tmp_path / "other")
    with server(folder, other) as app:

        async def play(client: httpx.AsyncClient) -> Any:
            one, two = await entered(client), await entered(client_of(app))
            await one.answer()
            elsewhere = await client.get("/api/s/other/state", headers=one.headers)
            return elsewhere.status_code, (await two.fetch())["next_seq"]

        assert played(app, play) == (401, 1)


def test_a_finished_session_takes_nothing_more(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = await entered(client)
        before = person.state
        await person.finish()
        return await person.send([{**page_events(before, {})[0], "seq": person.state["next_seq"]}])

    with server(folder) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["state"]["ended"]["outcome"]) == (410, "completed")


def test_large_bodies_and_long_batches_are_refused(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = await entered(client)
        shown = page_events(person.state, {})[0]
        huge = await person.send([{**shown, "trial_id": "x" * 300_000}])
        many = await person.send([{**shown, "seq": k} for k in range(1, 502)])
        return [huge.status_code, many.status_code]

    with server(folder) as app:
        assert played(app, play) == [413, 422]
    assert n_stored(folder) == 1


def test_a_session_that_asks_too_fast_is_asked_to_wait(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> set[int]:
        person = await entered(client)
        return {(await client.get(f"{person.base}/state", headers=person.headers)).status_code for _ in range(5)}

    with server(folder, settings=Settings(session_rate=0.001, session_burst=3)) as app:
        assert played(app, play) == {200, 429}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_of_another_type_is_refused(folder: Path, kind: str) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = await entered(client)
        body = json.dumps({"events": page_events(person.state, {"consent": "I agree"})})
        return await client.post(
            f"{person.base}/events", content=body, headers={**person.headers, "Content-Type": kind}
        )

    with server(folder) as app:
        assert played(app, play).status_code == 415
    assert n_stored(folder) == 1


def test_a_request_that_says_its_length_twice_is_refused_and_its_connection_closed(folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = await entered(client)
        both = {**person.headers, "Content-Length": "13", "Transfer-Encoding": "chunked"}
        return await client.post(f"{person.base}/events", content=b'{"events":[]}', headers=both)

    with server(folder) as app:
        said = played(app, play)
    assert (said.status_code, said.headers["connection"]) == (400, "close")
    assert "not both" in said.json()["error"]
