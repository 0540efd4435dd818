"""What the list of sessions tells: where people are, when they were last heard of, what looks unusual, and who is meant."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, Person, folder_of, played, server
from tests.small_studies import two_groups
from understudy.schema import Interacted, ResponseGiven
from understudy.serve.desk.overview import SessionFacts

SESSIONS = "/api/admin/studies/two-groups/sessions"
ON_PAGE: dict[str, Any] = {"session_id": "s", "trial_id": "t", "at_ms": 5}


def answered(*answers: object, rt_ms: float = 4000) -> SessionFacts:
    facts = SessionFacts()
    for number, answer in enumerate(answers):
        facts.take(ResponseGiven(**ON_PAGE, seq=number + 1, step=number, response={"guess": answer}, rt_ms=rt_ms))
    return facts


def interacted(action: str, n: int) -> SessionFacts:
    facts = SessionFacts()
    for number in range(n):
        facts.take(Interacted(**ON_PAGE, seq=number + 1, step=0, action=action))
    return facts


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (answered("yes", "no", "yes"), ()),
        (answered("yes", "no", "yes", rt_ms=300), ("Too fast: 3 answers in less than a second.",)),
        (answered("yes", "no", rt_ms=300), ()),
        (answered(*["yes"] * 8), ("Same answers: 8 times the same to guess.",)),
        (answered(*["yes"] * 8, "no"), ()),
        (answered(*[{"a": 1}] * 7), ()),
        (interacted("page_hidden", 5), ("Left the page 5 times.",)),
        (interacted("page_hidden", 4), ()),
        (interacted("pasted", 1), ("Pasted text once.",)),
        (interacted("pasted", 2), ("Pasted text 2 times.",)),
    ],
)
def test_what_looks_unusual_is_said_in_a_sentence(facts: SessionFacts, said: tuple[str, ...]) -> None:
    assert facts.warnings() == said


async def listed(client: httpx.AsyncClient, query: str = "") -> Any:
    return (await client.get(f"{SESSIONS}{query}", headers=ADMIN_HEADERS)).json()


def test_the_list_follows_where_people_are(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups", PROLIFIC_PID="abc")
        await person.start()
        rows = [(await listed(client))["rows"][0]]
        for _ in range(2):
            await person.answer()
            page = await listed(client)
            rows.append(page["rows"][0])
        return rows, page["now_ms"]

    with server(folder_of(two_groups(), tmp_path)) as app:
        rows, now_ms = played(app, play)
    assert rows[0]["step"] is rows[0]["last_seen_ms"] is None
    assert [row["step"].split(" · ")[0] for row in rows[1:]] == ["1", "2"]
    assert rows[1]["last_seen_ms"] < rows[2]["last_seen_ms"] <= now_ms


def test_a_session_is_found_by_id_pseudonym_and_code(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        for name in ("5f3c-one", "5f3c-two"):
            person = Person(client, "two-groups", PROLIFIC_PID=name)
            await person.start()
            await person.finish()
        row = (await listed(client))["rows"][1]
        texts = ["5f3c-two", row["participant_id"][:12], row["session_id"], row["code"].lower(), "", "nobody"]
        found = [await listed(client, f"?q={text}") for text in texts]
        too_long = await client.get(f"{SESSIONS}?q={'x' * 101}", headers=ADMIN_HEADERS)
        return row["session_id"], found, too_long

    with server(folder_of(two_groups(), tmp_path)) as app:
        wanted, found, too_long = played(app, play)
    assert [[row["session_id"] for row in page["rows"]] for page in found[:4]] == [[wanted]] * 4
    assert [page["total"] for page in found[4:]] == [2, 0]
    assert (too_long.status_code, too_long.json()["error"]) == (422, "A search has at most 100 characters.")
