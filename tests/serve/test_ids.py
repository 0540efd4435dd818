"""An id is not a key: what people may do follows from the browser they began in, a signed link, or only an id."""

import random
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.playing import study_of
from tests.serve.stage_door import ADMIN_HEADERS, SECRET, Person, folder_of, page_events, played, server
from tests.small_studies import two_groups
from understudy.record import open_log
from understudy.schema import Study
from understudy.schema.study import Access
from understudy.serve.access import Keyring

NAME = "two-groups"
SECRET_WORDS = "what only the first browser was told"
KNOCK = "0123456789abcdef0123456789abcdef"
CONTACT = "Dr Example, study@lab.example.edu"


def telling(**access: Any) -> Study:
    """A study in which people write, with a contact and two pages after the consent page."""
    text = {"kind": "text", "question_id": "story", "prompt": "Tell us."}
    pages = [
        {"kind": "screen", "block_id": name, "purpose": "questionnaire", "task": {"name": "questionnaire", "params": {"questions": [text]}}}
        for name in ("tell", "tell_more")
    ]  # fmt: skip
    consent = {"kind": "screen", "block_id": "agree", "purpose": "consent", "task": {"name": "consent", "params": {"text": "Agree?", "contact": CONTACT}}}  # fmt: skip
    made = study_of(consent, *pages)
    return made.model_copy(update={"access": Access(**access)})


def browser(client: httpx.AsyncClient, name: str = "4711", **more: str) -> Person:
    """Somebody in a browser of their own, who comes by a link with an id."""
    client.cookies.clear()
    return Person(client, NAME, survey_code=name, participant_id=name, **more)


async def withdraws(person: Person, *, erase: bool) -> int:
    got = await person.client.post(f"{person.base}/withdraw", json={"erase": erase}, headers=person.headers)
    return got.status_code


async def tells(person: Person) -> None:
    await person.start()
    await person.answer()
    events = page_events(person.state, {"story": SECRET_WORDS})
    draft = {
        **events[1],
        "action": "draft",
        "payload": {"answers": {"story": SECRET_WORDS}, "rt_ms": 700, "active_ms": 600},
    }
    await person.send([events[0], draft])


def test_an_id_alone_tells_nothing_of_a_finished_session(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, Any, list[int]]:
        first = browser(client)
        await first.start()
        ended = await first.finish()
        stranger = browser(client)
        replies = [await stranger.start(), await stranger.start(go_on=True)]
        statuses = [await withdraws(stranger, erase=erase) for erase in (True, False)]
        return ended, replies, statuses

    with server(folder_of(telling(), tmp_path)) as app:
        ended, replies, statuses = played(app, play)
    assert [reply.json() for reply in replies] == [{"refused": "known", "contact": CONTACT}] * 2
    assert all(ended["code"] not in reply.text and "token" not in reply.text for reply in replies)
    assert not any("set-cookie" in reply.headers for reply in replies)
    assert statuses == [401, 401]
    with open_log(tmp_path / "events.sqlite") as log:
        assert [summary.outcome for summary in log.summaries(NAME)] == ["completed"]


def test_a_signed_link_opens_a_finished_session_in_any_browser_and_may_erase_it(tmp_path: Path) -> None:
    signature = Keyring(SECRET).link_signature(NAME, "4711")

    async def play(client: httpx.AsyncClient) -> tuple[Any, Any, int]:
        first = browser(client, signature=signature)
        await first.start()
        ended = await first.finish()
        second = browser(client, signature=signature)
        again = await second.start()
        return ended, again.json(), await withdraws(second, erase=True)

    with server(folder_of(telling(links="signed"), tmp_path)) as app:
        ended, again, status = played(app, play)
    assert again["ended"]["code"] == ended["code"]
    assert status == 200


def test_another_browser_hears_from_when_and_where_it_goes_on_and_sees_no_answer(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, Person, list[int], Any]:
        await tells(browser(client))
        other = browser(client)
        asked = await other.start()
        await other.start(go_on=True)
        statuses = [await withdraws(other, erase=erase) for erase in (True, False)]
        return asked.json(), other, statuses, await other.finish()

    with server(folder_of(telling(), tmp_path)) as app:
        asked, other, statuses, ended = played(app, play)
    assert (asked["page"], asked["began_ms"] > 1_600_000_000_000) == (2, True)
    assert 0 < asked["progress"] < 1
    assert "token" not in asked
    assert not any(SECRET_WORDS.encode() in reply for reply in other.seen)
    assert statuses == [403, 403]
    assert ended["outcome"] == "completed"
    assert ended["code"]


def test_a_guest_sees_the_end_that_they_reached_themselves_and_no_other(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[Any]:
        first = browser(client, "owner")
        await tells(first)
        guest = browser(client, "owner")
        await guest.start(go_on=True)
        client.cookies.clear()
        await first.fetch()
        ended = await first.finish()
        state = await client.get(f"{guest.base}/state", headers=guest.headers)
        again = await client.post(f"{guest.base}/start", json={"recruiter": guest.recruiter}, headers=guest.headers)
        finisher = browser(client, "finisher")
        await tells(finisher)
        finisher = browser(client, "finisher")
        await finisher.start(go_on=True)
        code = (await finisher.finish())["code"]
        reached = await client.get(f"{finisher.base}/state", headers=finisher.headers)
        return [ended["code"], state, again, code, reached]

    with server(folder_of(telling(), tmp_path)) as app:
        code, state, again, own_code, reached = played(app, play)
    assert (state.status_code, code in state.text) == (401, False)
    assert (again.json()["refused"], code in again.text) == ("known", False)
    assert reached.json()["ended"]["code"] == own_code


def test_a_study_may_bind_sessions_to_the_browser_in_which_they_began(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, int]:
        first = browser(client)
        await tells(first)
        other = await browser(client).start(go_on=True)
        back = await client.post(f"{first.base}/start", json={"recruiter": first.recruiter}, headers=first.headers)
        return other.json(), back.json()["step"]["number"]

    with server(folder_of(telling(resume_by_id=False), tmp_path)) as app:
        other, number = played(app, play)
    assert other["refused"] == "known"
    assert number == 1


def test_a_stranger_does_not_hear_that_somebody_erased_everything(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[str]:
        first = browser(client)
        await tells(first)
        await withdraws(first, erase=True)
        own = await client.post(f"{first.base}/start", json={"recruiter": first.recruiter}, headers=first.headers)
        return [own.json()["refused"], (await browser(client).start()).json()["refused"]]

    with server(folder_of(telling(), tmp_path)) as app:
        assert played(app, play) == ["erased", "known"]


def test_a_page_whose_first_answer_got_lost_is_known_by_its_secret(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[Any]:
        first = browser(client)
        await first.start(knock=KNOCK)
        again = browser(client)
        await again.start(knock=KNOCK)
        replied = await browser(client).start(knock=KNOCK[::-1])
        await withdraws(again, erase=True)
        return [first.token == again.token, "token" in replied.json()]

    with server(folder_of(telling(), tmp_path)) as app:
        assert played(app, play) == [True, False]


@pytest.mark.parametrize("n", [150, pytest.param(10_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("links", ["open", "signed"])
def test_guesses_of_ids_gain_nothing(tmp_path: Path, links: str, n: int) -> None:
    keyring = Keyring(SECRET)
    rng = random.Random(n)
    ids = [str(number) for number in rng.sample(range(10_000), 6)]
    study = two_groups().model_copy(update={"access": Access(links=links)})

    async def play(client: httpx.AsyncClient) -> tuple[list[str], bytes, set[int]]:
        secrets: list[str] = []
        for number in ids:
            person = browser(client, number, signature=keyring.link_signature(NAME, number))
            await person.start()
            ended = await person.finish()
            secrets += [ended["code"], person.token]
        # Unknown ids would begin sessions of their own, which is not what is looked at here.
        await client.post(f"/api/admin/studies/{NAME}/recruitment", json={"is_paused": True}, headers=ADMIN_HEADERS)
        guesses = [*ids, *(str(rng.randrange(10_000)) for _ in range(n - len(ids)))]
        client.cookies.clear()
        seen, statuses = bytearray(), set[int]()
        for number in guesses:
            forged = {} if rng.random() < 0.5 else {"signature": rng.randbytes(16).hex()}
            recruiter = {"participant_id": number, **forged}
            got = await client.post(f"/api/s/{NAME}/start", json={"recruiter": recruiter, "go_on": True})
            seen += got.content
            token = f"{secrets[1].partition('.')[0]}.{rng.randrange(9)}.{number}"
            headers = {"Authorization": f"Bearer {got.json().get('token', token)}"}
            erased = await client.post(f"/api/s/{NAME}/withdraw", json={"erase": True}, headers=headers)
            statuses.add(erased.status_code)
            seen += erased.content
        return secrets, bytes(seen), statuses

    with server(folder_of(study, tmp_path)) as app:
        secrets, seen, statuses = played(app, play)
    assert [secret for secret in secrets if secret.encode() in seen] == []
    assert b'"pay"' not in seen
    assert statuses == {401}
    with open_log(tmp_path / "events.sqlite") as log:
        assert [summary.outcome for summary in log.summaries(NAME)] == ["completed"] * 6
