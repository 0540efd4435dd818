"""Servers on one database: whichever of them a request reaches, it finds what the others have stored."""

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.alert_receivers import webhook
from tests.postgres_server import PostgresServer
from tests.serve.shared_servers import played_at, servers
from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, Person, Ticking, folder_of, page_events, typical
from tests.small_studies import two_groups
from understudy.errors import LogError
from understudy.record import open_log
from understudy.schema import Event
from understudy.serve.alert_channels import Webhook
from understudy.serve.desk.alerts import AlertWatch
from understudy.serve.settings import AlertSettings

pytest_plugins = ["tests.log_places"]

STUDY = "two-groups"


@pytest.fixture
def place(postgres_server: PostgresServer) -> str:
    return postgres_server.new_schema()


def stored(place: str) -> list[tuple[Event, ...]]:
    with open_log(place) as log:
        return list(log.sessions(STUDY))


def moved(person: Person, client: httpx.AsyncClient) -> Person:
    """The same person with the same browser, whose next request reaches another server."""
    person.client = client
    return person


async def finish_on_both(person: Person, clients: list[httpx.AsyncClient]) -> str:
    turn = 0
    while person.state["ended"] is None:
        turn += 1
        got = await moved(person, clients[turn % len(clients)]).answer()
        assert got.status_code == 200, got.text
    return str(person.state["ended"]["outcome"])


def test_a_session_goes_on_at_whichever_server_a_request_reaches(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[str]:
        people = [Person(clients[k % 2], STUDY, PROLIFIC_PID=f"person {k}") for k in range(4)]
        for person in people:
            await person.start()
        return list(await asyncio.gather(*(finish_on_both(person, clients) for person in people)))

    with servers(folder_of(two_groups(), tmp_path), log_place=place, clock=Ticking()) as apps:
        outcomes = played_at(apps, play)
    assert outcomes == ["completed"] * 4
    for events in stored(place):
        seqs = Counter(event.stream for event in events)
        assert all(max(event.seq for event in events if event.stream == stream) == seqs[stream] for stream in seqs)
        assert sum(event.type == "session_ended" for event in events) == 1


def test_the_same_answer_sent_to_both_servers_at_once_is_stored_once(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[Any]:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        events = [person.worded(event) for event in page_events(person.state, typical(person.state["step"]["trial"]))]
        address = f"{person.base}/events"
        got = await asyncio.gather(
            *(client.post(address, json={"events": events}, headers=person.headers) for client in clients * 4)
        )
        return [(answer.status_code, answer.json()["acknowledged_seq"]) for answer in got]

    with servers(folder_of(two_groups(), tmp_path), log_place=place) as apps:
        assert played_at(apps, play) == [(200, 3)] * 8
    assert [event.type for event in stored(place)[0]].count("response_given") == 1


def test_of_two_answers_to_one_step_the_first_counts_and_the_other_is_refused(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[int]:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        versions = [
            [person.worded(event) for event in page_events(person.state, {"consent": consent})]
            for consent in ("I agree", "I do not agree")
        ]
        sent = [
            client.post(f"{person.base}/events", json={"events": events}, headers=person.headers)
            for client, events in zip(clients, versions, strict=True)
        ]
        return sorted(answer.status_code for answer in await asyncio.gather(*sent))

    with servers(folder_of(two_groups(), tmp_path), log_place=place) as apps:
        first, second = played_at(apps, play)
    assert (first, second in (409, 410)) == (200, True)
    assert [event.type for event in stored(place)[0]].count("response_given") == 1


def test_a_page_that_resends_to_another_server_is_told_where_it_is(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> tuple[int, int]:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        first = [person.worded(event) for event in page_events(person.state, typical(person.state["step"]["trial"]))]
        await person.answer()
        await moved(person, clients[1]).answer()
        again = await clients[0].post(f"{person.base}/events", json={"events": first}, headers=person.headers)
        return again.json()["acknowledged_seq"], person.state["next_seq"]

    with servers(folder_of(two_groups(), tmp_path), log_place=place) as apps:
        acknowledged, expected = played_at(apps, play)
    assert acknowledged == expected - 1


def test_what_one_server_erases_is_gone_from_the_other(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> tuple[int, bool, int]:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        await person.answer()
        await clients[1].post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
        refused = await person.answer()
        state = (await clients[0].get(f"{person.base}/state", headers=person.headers)).json()
        newcomer = Person(clients[0], STUDY, PROLIFIC_PID="ben")
        return refused.status_code, state["ended"]["is_erased"], (await newcomer.start()).status_code

    with servers(folder_of(two_groups(assignment={"quota": 1}), tmp_path), log_place=place) as apps:
        assert played_at(apps, play) == (410, True, 201)
    with open_log(place) as log:
        assert [summary.assignment.arrival for summary in log.summaries(STUDY)] == [1]


def test_people_who_erased_their_data_on_one_machine_cannot_start_again_on_another(tmp_path: Path, place: str) -> None:
    async def arrive(clients: list[httpx.AsyncClient]) -> httpx.Response:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        got = await person.start()
        if "token" in got.json():
            await clients[0].post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
        return got

    told = []
    for machine in ("one", "two"):
        with servers(folder_of(two_groups(), tmp_path / machine), log_place=place, n=1) as apps:
            told.append(played_at(apps, arrive).json())
    assert "token" in told[0]
    # An id alone does not hear that its person erased everything.
    assert told[1]["refused"] == "known"


def test_a_place_that_one_server_frees_is_given_by_the_other(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[bool]:
        people = [Person(clients[0], STUDY, PROLIFIC_PID=name) for name in ("ann", "ben", "cem", "dot")]
        await people[0].start()
        await people[1].start()
        full = await moved(people[2], clients[1]).start()
        await clients[0].post(f"{people[0].base}/withdraw", json={}, headers=people[0].headers)
        later = await moved(people[3], clients[1]).start()
        return ["full" in answer.json() for answer in (full, later)]

    with servers(folder_of(two_groups(assignment={"quota": 1}), tmp_path), log_place=place) as apps:
        assert played_at(apps, play) == [True, False]


def test_an_exclusion_at_one_server_is_known_to_the_other(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[int]:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        session_id = person.token.partition(".")[0]
        address = f"/api/admin/studies/{STUDY}/sessions/{session_id}/exclude"
        await clients[1].get(f"{person.base}/state", headers=person.headers)
        sent = [client.post(address, json={"reason": "a test"}, headers=ADMIN_HEADERS) for client in clients]
        return sorted([(await answer).status_code for answer in sent])

    with servers(folder_of(two_groups(), tmp_path), log_place=place) as apps:
        assert played_at(apps, play) == [200, 409]


def test_forty_people_at_two_servers_get_the_numbers_and_conditions_that_one_server_gives(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    folder = folder_of(two_groups(assignment={"quota": 20}), tmp_path)

    async def play(clients: list[httpx.AsyncClient]) -> None:
        people = [Person(clients[k % len(clients)], STUDY, PROLIFIC_PID=f"person {k}") for k in range(40)]
        await asyncio.gather(*(person.start() for person in people))

    found = []
    for n in (1, 2):
        place = postgres_server.new_schema()
        with servers(folder, log_place=place, n=n) as apps:
            played_at(apps, play)
        with open_log(place) as log:
            dealt = [(summary.assignment.arrival, summary.condition) for summary in log.summaries(STUDY)]
        found.append(sorted(dealt))
    assert found[0] == found[1]
    assert [arrival for arrival, _ in found[0]] == list(range(40))


def test_nobody_gets_into_two_studies_that_exclude_each_other_at_once(tmp_path: Path, place: str) -> None:
    def study(name: str, other: str) -> Path:
        return folder_of(
            two_groups(name=name, assignment={"quota": 20, "blocks_participants_of": [other]}), tmp_path / name
        )

    async def play(clients: list[httpx.AsyncClient]) -> None:
        both = [(name, client) for client in clients for name in ("one", "other")]
        people = [Person(client, name, PROLIFIC_PID=f"person {k}") for k in range(6) for name, client in both]
        await asyncio.gather(*(person.start() for person in people))

    with servers(study("one", "other"), study("other", "one"), log_place=place) as apps:
        played_at(apps, play)
    with open_log(place) as log:
        people = [summary.participant_id for name in ("one", "other") for summary in log.summaries(name)]
    assert (len(people), len(set(people))) == (6, 6)


def test_people_silent_at_one_server_and_busy_at_another_keep_their_place(tmp_path: Path, place: str) -> None:
    clock = Ticking()

    async def play(clients: list[httpx.AsyncClient]) -> Any:
        person = Person(clients[0], STUDY, PROLIFIC_PID="ann")
        await person.start()
        for _ in range(3):
            clock.ms += 25 * 60_000
            await moved(person, clients[1]).answer()
            await apps[0].state.server.studies[STUDY].sweep()
        return (await person.fetch())["ended"]

    study = two_groups(assignment={"quota": 1, "release_after_min": 40})
    with servers(folder_of(study, tmp_path), log_place=place, clock=clock) as apps:
        assert played_at(apps, play) is None


def test_the_rate_of_new_sessions_is_that_of_all_servers_together(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> Counter[int]:
        people = [Person(clients[k % 2], STUDY, PROLIFIC_PID=f"person {k}") for k in range(8)]
        return Counter([(await person.start()).status_code for person in people])

    study = two_groups(access={"new_per_hour": 48}, assignment={"quota": 20})
    with servers(folder_of(study, tmp_path), log_place=place) as apps:
        assert played_at(apps, play) == {201: 4, 429: 4}


def test_a_server_of_another_version_lets_nobody_in(tmp_path: Path, place: str) -> None:
    old = folder_of(two_groups(), tmp_path / "old")
    new = folder_of(two_groups(title="Changed"), tmp_path / "new")

    async def play(clients: list[httpx.AsyncClient]) -> list[int]:
        return [(await Person(client, STUDY, PROLIFIC_PID="ann").start()).status_code for client in clients]

    with servers(old, log_place=place, n=1) as first, servers(new, log_place=place, n=1) as second:
        assert played_at([*first, *second], play) == [201, 503]
    with pytest.raises(LogError, match="holds sessions of another version"), servers(new, log_place=place, n=1):
        pass


def test_sessions_left_out_of_memory_are_read_again(tmp_path: Path, place: str) -> None:
    async def play(clients: list[httpx.AsyncClient]) -> list[str]:
        people = [Person(clients[k % 2], STUDY, PROLIFIC_PID=f"person {k}") for k in range(6)]
        for person in people:
            await person.start()
        return [await finish_on_both(person, clients) for person in people]

    few = replace(GENEROUS, n_cached=2)
    folder = folder_of(two_groups(assignment={"quota": 3}), tmp_path)
    with servers(folder, log_place=place, clock=Ticking(), settings=few) as apps:
        assert played_at(apps, play) == ["completed"] * 6


def test_of_two_servers_on_one_database_one_tells_an_alert(tmp_path: Path, place: str) -> None:
    folder = folder_of(two_groups(), tmp_path)
    with webhook() as hook, servers(folder, log_place=place) as apps:

        async def play(_: list[httpx.AsyncClient]) -> None:
            settings = AlertSettings((Webhook(hook.url),), free_bytes=lambda _: 0, pauses_s=(0.0,))
            watches = [AlertWatch(app.state.server, settings) for app in apps]
            for watch in watches:
                await watch.look()
                await watch.delivered()

        played_at(apps, play)
    assert [alert["alert"] for alert in hook.got] == ["disk_low"]
