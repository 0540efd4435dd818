"""Places: balanced under concurrent arrivals, taken back from the silent, refused to those who may not come."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, Hands, Person, client_of, folder_of, page_events, played, server
from tests.small_studies import two_groups
from understudy.errors import LogError
from understudy.record import open_log
from understudy.serve import Settings

HOUR_MS = 3_600_000


def assigned(folder: Path, name: str = "two-groups") -> Counter[str]:
    with open_log(folder / "events.sqlite") as log:
        return Counter(summary.condition for summary in log.summaries(name))


def test_cells_stay_balanced_when_everybody_comes_at_once(tmp_path: Path) -> None:
    folder = folder_of(two_groups(assignment={"quota": 20}), tmp_path)

    async def play(client: httpx.AsyncClient) -> None:
        people = [Person(client, "two-groups", PROLIFIC_PID=str(k)) for k in range(40)]
        await asyncio.gather(*(person.start() for person in people))

    with server(folder) as app:
        played(app, play)
    assert assigned(folder) == {"shown": 20, "hidden": 20}


def test_one_person_in_two_tabs_at_once_gets_one_session(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        tabs = [Person(client, "two-groups", workerId="W1") for _ in range(6)]
        return sorted([one.status_code for one in await asyncio.gather(*(tab.start() for tab in tabs))])

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [200, 200, 200, 200, 200, 201]
    assert sum(assigned(tmp_path).values()) == 1


def test_two_tabs_that_answer_at_once_store_one_answer(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = Person(client, "two-groups")
        await person.start()
        one = page_events(person.state, {"consent": "I agree"})
        two = page_events(person.state, {"consent": "I agree"}, at_ms=1_700_000_000_900)
        got = await asyncio.gather(person.send(one), person.send(two))
        return sorted(each.status_code for each in got)

    with server(folder_of(two_groups(), tmp_path)) as app:
        assert played(app, play) == [200, 409]


def test_a_full_study_says_so(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        got = [await Person(client, "two-groups", PROLIFIC_PID=str(k)).start() for k in range(3)]
        return got[-1].status_code, got[-1].json()

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path)) as app:
        assert played(app, play) == (200, {"full": True})


def test_a_silent_session_gives_its_place_back(tmp_path: Path) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> Any:
        early = Person(client, "two-groups", PROLIFIC_PID="early")
        await early.start()
        await Person(client, "two-groups", PROLIFIC_PID="second").start()
        clock.ms += 3 * HOUR_MS
        late = await Person(client, "two-groups", PROLIFIC_PID="late").start()
        return late.status_code, (await early.fetch())["ended"]["outcome"]

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path), clock=clock) as app:
        assert played(app, play) == (201, "abandoned")


def test_a_page_with_a_wrong_clock_is_not_taken_for_silent(tmp_path: Path) -> None:
    clock = Hands()

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="a")
        await person.start()
        clock.ms += int(1.5 * HOUR_MS)
        await person.send(page_events(person.state, {"consent": "I agree"}, at_ms=5))
        clock.ms += int(1.5 * HOUR_MS)
        await Person(client, "two-groups", PROLIFIC_PID="b").start()
        return (await person.fetch())["ended"]

    with server(folder_of(two_groups(), tmp_path), clock=clock) as app:
        assert played(app, play) is None


def test_a_returning_person_resumes_in_another_browser(tmp_path: Path) -> None:
    with server(folder_of(two_groups(), tmp_path)) as app:

        async def play(client: httpx.AsyncClient) -> Any:
            first = Person(client, "two-groups", PROLIFIC_PID="a")
            await first.start()
            await first.answer()
            async with client_of(app) as elsewhere:
                again = Person(elsewhere, "two-groups", PROLIFIC_PID="a")
                got = await again.start(go_on=True)
            return got.status_code, again.state == await first.fetch()

        assert played(app, play) == (200, True)


def test_people_of_a_blocked_study_are_refused(tmp_path: Path) -> None:
    first = folder_of(two_groups(), tmp_path / "first")
    follow = two_groups(name="follow", assignment={"quota": 2, "blocks_participants_of": ["two-groups"]})
    second = folder_of(follow, tmp_path / "second")

    async def play(client: httpx.AsyncClient) -> Any:
        await Person(client, "two-groups", PROLIFIC_PID="a").start()
        again = await Person(client, "follow", PROLIFIC_PID="a").start()
        other = await Person(client, "follow", PROLIFIC_PID="b").start()
        return again.json(), other.status_code

    with server(first, second) as app:
        assert played(app, play) == ({"refused": "repeat"}, 201)


def test_what_a_recruiter_calls_a_person_is_in_no_event(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> None:
        await Person(client, "two-groups", PROLIFIC_PID="5f0c0ffee").start()

    with server(folder_of(two_groups(), tmp_path)) as app:
        played(app, play)
    assert b"5f0c0ffee" in (tmp_path / "people.sqlite").read_bytes()
    assert not any(b"5f0c0ffee" in path.read_bytes() for path in tmp_path.glob("events.sqlite*"))


def test_counts_survive_a_restart(tmp_path: Path) -> None:
    folder = folder_of(two_groups(assignment={"quota": 3}), tmp_path)
    for number in range(6):

        async def play(client: httpx.AsyncClient, pid: str = str(number)) -> None:
            await Person(client, "two-groups", PROLIFIC_PID=pid).start()

        with server(folder) as app:
            played(app, play)
    assert assigned(folder) == {"shown": 3, "hidden": 3}


def test_a_small_memory_forgets_no_session(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> set[str]:
        people = [Person(client, "two-groups", PROLIFIC_PID=str(k)) for k in range(8)]
        await asyncio.gather(*(person.start() for person in people))
        ended = await asyncio.gather(*(person.finish() for person in people))
        return {one["outcome"] for one in ended}

    with server(folder_of(two_groups(), tmp_path), settings=Settings(n_cached=2, session_burst=1e6)) as app:
        assert played(app, play) == {"completed"}


@pytest.mark.parametrize("first", [True, False])
def test_simulated_and_real_people_are_never_mixed(tmp_path: Path, first: bool) -> None:
    folder = folder_of(two_groups(), tmp_path)

    async def play(client: httpx.AsyncClient) -> Any:
        await Person(client, "two-groups").start()
        return (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).json()[0]["kinds"]

    with server(folder, settings=Settings(is_rehearsal=first)) as app:
        assert played(app, play) == {"synthetic" if first else "person": 1}
    with pytest.raises(LogError, match="never mixed"), server(folder, settings=Settings(is_rehearsal=not first)):
        pass
