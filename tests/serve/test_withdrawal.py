"""Withdrawal: from any screen, and with nothing left but the count."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.playing import study_of
from tests.serve.stage_door import Person, folder_of, page_events, played, server
from tests.small_studies import two_groups
from understudy.record import open_log, session_hash
from understudy.schema import Study
from understudy.schema.study import Access

WORDS = "the words only this participant would write"
PID = "5f00dcafe"


def telling() -> Study:
    """A study that lets people write."""
    text = {"kind": "text", "question_id": "story", "prompt": "Tell us."}
    task = {"name": "questionnaire", "params": {"questions": [text]}}
    return study_of({"kind": "screen", "block_id": "tell", "purpose": "questionnaire", "task": task})


async def told(client: httpx.AsyncClient) -> Person:
    person = Person(client, "two-groups", PROLIFIC_PID=PID)
    await person.start()
    await person.answer()
    await person.send(page_events(person.state, {"story": WORDS}))
    return person


async def withdraw(person: Person, *, erase: bool) -> Any:
    got = await person.client.post(f"{person.base}/withdraw", json={"erase": erase}, headers=person.headers)
    return got.json()


@pytest.mark.parametrize("is_finished", [False, True])
def test_erasure_leaves_nothing_but_a_tombstone(tmp_path: Path, is_finished: bool) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[str, Any]:
        person = await told(client)
        if is_finished:
            await person.finish()
        return person.token.partition(".")[0], await withdraw(person, erase=True)

    (folder := folder_of(telling(), tmp_path))
    (folder / "tables").mkdir()
    (folder / "tables" / "trials.parquet").write_text(WORDS)
    (folder / "report.html").write_text(WORDS)
    with server(folder) as app:
        session_id, state = played(app, play)
    assert state["ended"]["outcome"] == "withdrew"
    with open_log(folder / "events.sqlite") as log:
        assert log.count_events() == 0
        assert [tombstone.session_hash for tombstone in log.tombstones("two-groups")] == [session_hash(session_id)]
    left = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert [word for word in (WORDS, PID, session_id) if word.encode() in left] == []


def test_an_erased_session_stays_closed(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = await told(client)
        before = dict(person.state)
        await withdraw(person, erase=True)
        state = await person.fetch()
        again = await person.send(page_events(before, {}))
        return state["ended"]["outcome"], again.status_code

    with server(folder_of(telling(), tmp_path)) as app:
        assert played(app, play) == ("withdrew", 410)


def test_withdrawal_without_erasure_keeps_the_events(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        return await withdraw(await told(client), erase=False)

    with server(folder_of(telling(), tmp_path)) as app:
        assert played(app, play)["ended"]["outcome"] == "withdrew"
    with open_log(tmp_path / "events.sqlite") as log:
        assert [summary.outcome for summary in log.summaries("two-groups")] == ["withdrew"]


@pytest.mark.parametrize(("allows", "answered"), [(False, {"refused": "erased"}), (True, None)])
def test_people_who_erased_everything_cannot_start_over_unless_the_study_allows_it(
    tmp_path: Path, allows: bool, answered: Any
) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        await withdraw(await told(client), erase=True)
        again = await Person(client, "two-groups", PROLIFIC_PID=PID).start()
        other = await Person(client, "two-groups", PROLIFIC_PID="other").start()
        return again.json(), other.status_code

    study = telling().model_copy(update={"access": Access(restart_after_erasing=allows)})
    with server(folder_of(study, tmp_path)) as app:
        again, other = played(app, play)
    assert other == 201
    assert again == answered if answered else again["step"]["number"] == 0


@pytest.mark.parametrize("erase", [True, False])
def test_a_place_is_free_again_after_withdrawal(tmp_path: Path, erase: bool) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        people = [Person(client, "two-groups", PROLIFIC_PID=str(k)) for k in range(3)]
        for person in people[:2]:
            await person.start()
            await person.finish()
        await withdraw(people[0], erase=erase)
        return (await people[2].start()).status_code

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path)) as app:
        assert played(app, play) == 201
