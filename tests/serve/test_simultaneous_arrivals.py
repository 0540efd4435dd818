"""One recruiter link opened many times at once: one session, and the name of nobody who lives in it is lost."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
from starlette.applications import Starlette

from tests.serve.shared_servers import played_at, servers
from tests.serve.stage_door import SECRET, Person, folder_of, played
from tests.small_studies import two_groups
from understudy.errors import LogError
from understudy.record import open_log
from understudy.record.append import AppendTransaction
from understudy.serve.access import Keyring
from understudy.serve.people import People

pytest_plugins = ["tests.log_places"]

N_OPENS = 8
IDS = ("ann", "ben", "cem", "dot")


@contextmanager
def server(folder: Path, log_place: str) -> Iterator[Starlette]:
    """Serve a folder whose events go to a log of any kind."""
    with servers(folder, log_place=log_place, n=1) as apps:
        yield apps[0]


def remembered(folder: Path, log_place: str, ids: Sequence[str] = IDS) -> set[str]:
    """Return which of the ids the list of people still names; on a shared database it is there, and not in the folder."""
    keyring = Keyring(SECRET)
    with open_log(log_place) as log:
        if log.is_shared:
            return {name for name in ids if log.recruiter_fields("two-groups", keyring.participant_id(name))}
    people = People(folder / "people.sqlite")
    return {name for name in ids if people.fields_of(keyring.participant_id(name))}


async def opened_at_once(*clients: httpx.AsyncClient, names: tuple[str, ...]) -> dict[str, list[Any]]:
    """Open each person's link eight times, all at the same moment, the people and the servers shuffled together."""
    order = [(name, clients[k % len(clients)]) for k in range(N_OPENS) for name in names]
    people = [Person(client, "two-groups", PROLIFIC_PID=name) for name, client in order]
    # The pages of one browser have one secret, by which the server knows them before any of them has a token.
    got = await asyncio.gather(
        *(person.start(knock=f"the one browser of {name}") for person, (name, _) in zip(people, order, strict=True))
    )
    answers: dict[str, list[Any]] = {name: [] for name in names}
    for (name, _), person, response in zip(order, people, got, strict=True):
        answers[name].append((response.status_code, person.token, response.json().get("full", False)))
    return answers


def test_every_open_of_one_link_gets_the_same_session(tmp_path: Path, log_place: str) -> None:
    with server(folder_of(two_groups(assignment={"quota": 20}), tmp_path), log_place) as app:
        answers = played(app, lambda client: opened_at_once(client, names=IDS))
    for answer in answers.values():
        assert Counter(status for status, _, _ in answer) == {201: 1, 200: N_OPENS - 1}
        assert len({token for _, token, _ in answer}) == 1
    with open_log(log_place) as log:
        assert len(list(log.summaries("two-groups"))) == len(IDS)
    assert remembered(tmp_path, log_place) == set(IDS)


def test_a_person_who_comes_back_after_all_places_are_taken_is_still_known(tmp_path: Path, log_place: str) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, Any]:
        first = await opened_at_once(client, names=("ann", "ben"))
        return first, await opened_at_once(client, names=("ann", "ben", "cem"))

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path), log_place) as app:
        first, later = played(app, play)
    for name in ("ann", "ben"):
        assert {answer[1] for answer in later[name]} == {answer[1] for answer in first[name]}
    assert {is_full for _, _, is_full in later["cem"]} == {True}
    assert remembered(tmp_path, log_place) == {"ann", "ben"}


def test_the_last_place_goes_to_one_person_whose_name_stays(tmp_path: Path, log_place: str) -> None:
    async def play(client: httpx.AsyncClient) -> dict[str, list[Any]]:
        await Person(client, "two-groups", PROLIFIC_PID="ann").start()
        return await opened_at_once(client, names=("ben", "cem", "dot"))

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path), log_place) as app:
        answers = played(app, play)
    let_in = {name for name, answer in answers.items() if not any(is_full for _, _, is_full in answer)}
    assert len(let_in) == 1
    assert all(is_full for name in answers if name not in let_in for _, _, is_full in answers[name])
    assert remembered(tmp_path, log_place) == {"ann"} | let_in


def test_fifty_links_opened_eight_times_each_share_the_one_place_left(tmp_path: Path, log_place: str) -> None:
    n_servers = 2 if "://" in log_place else 1  # a file is served by one process only
    early, late = (tuple(f"{when}-{k}" for k in range(25)) for when in ("early", "late"))

    async def play(clients: list[httpx.AsyncClient]) -> tuple[Any, Any]:
        first = await opened_at_once(*clients, names=early)
        return first, await opened_at_once(*clients, names=early + late)

    folder = folder_of(two_groups(assignment={"quota": 13}), tmp_path)
    with servers(folder, log_place=log_place, n=n_servers) as apps:
        first, later = played_at(apps, play)
    let_in = {name for name in late if not all(is_full for _, _, is_full in later[name])}
    assert len(let_in) == 1
    for name in (*early, *let_in):
        assert len({token for _, token, _ in (*first.get(name, ()), *later[name])}) == 1
    with open_log(log_place) as log:
        arrivals = [summary.assignment.arrival for summary in log.summaries("two-groups")]
    assert sorted(arrivals) == list(range(26))
    assert remembered(tmp_path, log_place, early + late) == {*early, *let_in}


def test_erasing_one_person_leaves_the_names_of_the_others(tmp_path: Path, log_place: str) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, Any]:
        tokens = {name: answer[0][1] for name, answer in (await opened_at_once(client, names=IDS)).items()}
        await client.post(
            "/api/s/two-groups/withdraw", json={"erase": True}, headers={"Authorization": f"Bearer {tokens['ann']}"}
        )
        again = await opened_at_once(client, names=IDS[1:])
        return tokens, again

    with server(folder_of(two_groups(assignment={"quota": 2}), tmp_path), log_place) as app:
        tokens, again = played(app, play)
    assert {name: {token for _, token, _ in answer} for name, answer in again.items()} == {
        name: {tokens[name]} for name in IDS[1:]
    }
    assert remembered(tmp_path, log_place) == set(IDS[1:])


def test_an_arrival_the_log_refuses_leaves_the_other_tabs_in(tmp_path: Path, log_place: str) -> None:
    write, faults = AppendTransaction.write, [LogError("The disk is full.")]

    def refusing_once(transaction: AppendTransaction) -> None:
        if faults:
            raise faults.pop()
        write(transaction)

    async def play(client: httpx.AsyncClient) -> Counter[int]:
        tabs = [Person(client, "two-groups", PROLIFIC_PID="ann") for _ in range(4)]
        return Counter([one.status_code for one in await asyncio.gather(*(tab.start() for tab in tabs))])

    folder = folder_of(two_groups(assignment={"quota": 1}), tmp_path)
    with server(folder, log_place) as app, patch.object(AppendTransaction, "write", refusing_once):
        assert played(app, play) == {503: 1, 201: 1, 200: 2}
    assert remembered(tmp_path, log_place) == {"ann"}


def test_a_link_opened_during_the_erasure_of_its_session_is_answered(tmp_path: Path, log_place: str) -> None:
    async def play(client: httpx.AsyncClient) -> set[int]:
        person = Person(client, "two-groups", PROLIFIC_PID="ann")
        await person.start()
        erasing = client.post("/api/s/two-groups/withdraw", json={"erase": True}, headers=person.headers)
        tabs = [Person(client, "two-groups", PROLIFIC_PID="ann") for _ in range(N_OPENS)]
        got = await asyncio.gather(erasing, *(tab.start() for tab in tabs))
        return {one.status_code for one in got}

    with server(folder_of(two_groups(), tmp_path), log_place) as app:
        assert played(app, play) <= {200, 201}
