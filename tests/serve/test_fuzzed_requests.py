"""Ten thousand requests that no page would send: each is refused, and the log stays as it was, byte for byte."""

import hashlib
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx
import numpy as np

from tests.serve.fuzzing import Fuzzer, Shot, Target
from tests.serve.stage_door import Hands, Person, client_of, folder_of, played, server, typical
from tests.small_studies import two_groups

N_FUZZED = 10_000
SEED = 20_240_917


def digest_of_rows(folder: Path) -> str:
    """Return one digest of every row of every table that holds something of a session or a person."""
    digest = hashlib.sha256()
    for name in ("events.sqlite", "people.sqlite"):
        with closing(sqlite3.connect(folder / name)) as database:
            tables = sorted(row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
            for table in tables:
                for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid"):
                    digest.update(repr((table, row)).encode())
    return digest.hexdigest()


async def entered(client: httpx.AsyncClient, name: str, n_answers: int) -> Target:
    """Let somebody in and answer so many steps."""
    person = Person(client, "two-groups", PROLIFIC_PID=name)
    await person.start()
    while n_answers > 0 and person.state["ended"] is None:
        await person.answer()
        n_answers -= 1
    step = person.state["step"]
    response = typical(step["trial"]) if step else {}
    if step:
        # As the page knows it: an event about a trial of another name would be refused for that alone.
        step["trial"]["trial_id"] = person.page_name(step["trial"]["trial_id"])
    return Target("two-groups", person.token, person.state, response)


async def fired(client: httpx.AsyncClient, shot: Shot) -> int:
    url = httpx.URL(f"http://study.example{shot.path}")
    request = client.build_request(shot.method, url, headers=shot.headers, content=shot.body)
    return (await client.send(request)).status_code


def test_ten_thousand_fuzzed_requests_get_4xx_and_change_nothing(tmp_path: Path) -> None:
    folder = folder_of(two_groups(), tmp_path / "run")
    elsewhere = folder_of(two_groups(name="elsewhere"), tmp_path / "elsewhere")
    passed: list[tuple[int, Shot]] = []
    tried: Counter[str] = Counter()

    async def play(client: httpx.AsyncClient) -> tuple[list[str], list[str]]:
        targets = [await entered(client, f"person-{n}", n) for n in (1, 3, 99)]
        digest = targets[0].state["study"]["digest"]
        fuzzer = Fuzzer(
            np.random.default_rng(SEED), opened=targets[0], other=targets[1], ended=targets[2], digest=digest
        )  # fmt: skip
        before = [digest_of_rows(folder), digest_of_rows(elsewhere)]
        async with client_of(app) as stranger:
            for number in range(N_FUZZED):
                shot = fuzzer.shot(number)
                status = await fired(stranger, shot)
                tried[shot.kind] += 1
                if not 400 <= status < 500:
                    passed.append((status, shot))
        return before, [digest_of_rows(folder), digest_of_rows(elsewhere)]

    # A clock that goes on would let silent sessions lapse meanwhile.
    with server(folder, elsewhere, clock=Hands()) as app:
        before, after = played(app, play)
    assert [(status, shot.kind, shot.path, shot.headers, shot.body[:300]) for status, shot in passed] == []
    assert before == after
    assert (sum(tried.values()), len(tried), min(tried.values()) > 300) == (N_FUZZED, 28, True)


def test_the_digest_sees_a_single_event(tmp_path: Path) -> None:
    folder = folder_of(two_groups(), tmp_path / "run")

    async def play(client: httpx.AsyncClient) -> list[str]:
        person = Person(client, "two-groups")
        seen = [digest_of_rows(folder)]
        await person.start()
        seen.append(digest_of_rows(folder))
        await person.answer()
        return [*seen, digest_of_rows(folder)]

    with server(folder) as app:
        assert len(set(played(app, play))) == 3
