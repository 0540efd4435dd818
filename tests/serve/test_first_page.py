"""The first page comes with the player: for newcomers where every condition begins with the same one, and to return to."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, Person, folder_of, played, server
from tests.small_studies import consent, two_group_plain, two_groups
from understudy.record import open_log
from understudy.schema import Study
from understudy.serve import Settings

SHELL = '<!doctype html><head><link rel="modulepreload" data-rest href="/static/rest.js"></head><body><div id="player"></div></body>'
RESUMED = re.compile(r'<script type="application/json" id="resumed">(.*?)</script>')
BLOCK = re.compile(r'<script type="application/json" id="first-page">(.*?)</script>')


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    web = tmp_path / "web"
    web.mkdir()
    (web / "player.html").write_text(SHELL)
    return Settings(web=web, arrival_rate=GENEROUS.arrival_rate, arrival_burst=GENEROUS.arrival_burst)


def first_page_in(page: httpx.Response) -> Any:
    found = BLOCK.search(page.text)
    return None if found is None else json.loads(found[1])


def opened(study: Study, folder: Path, settings: Settings, address: str = "/s/two-groups") -> httpx.Response:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await client.get(address)

    with server(folder_of(study, folder), settings=settings) as app:
        page: httpx.Response = played(app, play)
    return page


def two_consents(text: str, **changes: Any) -> Study:
    """A study whose groups agree to different texts."""
    plain = two_group_plain(**changes)
    agree = consent()
    other = {**agree, "block_id": "other", "task": {"name": "consent", "params": {"text": text}}}
    plain["flow"][:1] = [{**agree, "when": {"explanation": "shown"}}, {**other, "when": {"explanation": "hidden"}}]
    return Study.model_validate(plain)


def test_a_newcomer_gets_what_their_session_starts_with(tmp_path: Path, settings: Settings) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[Any, Any]:
        page = await client.get("/s/two-groups?PROLIFIC_PID=5f1")
        return first_page_in(page), (await Person(client, "two-groups", PROLIFIC_PID="5f1").start()).json()

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        told, started = played(app, play)
    named = {"trial_id", "block_id"}
    assert told["study"] == started["study"]
    assert {**told["step"], "trial": None} == {**started["step"], "trial": None}
    for name, value in told["step"]["trial"].items():
        assert (value == started["step"]["trial"][name]) == (name not in named)


def test_asking_for_the_page_starts_no_session(tmp_path: Path, settings: Settings) -> None:
    opened(two_groups(), tmp_path / "run", settings, "/s/two-groups?PROLIFIC_PID=5f1")
    with open_log(tmp_path / "run" / "events.sqlite") as log:
        assert list(log.summaries("two-groups")) == []


def test_the_rest_of_the_script_does_not_compete_with_the_first_page(tmp_path: Path, settings: Settings) -> None:
    assert "rest.js" not in opened(two_groups(), tmp_path / "run", settings).text


@pytest.mark.parametrize("link", ["", "?PROLIFIC_PID=5f1"])
def test_people_with_a_session_get_what_they_would_be_told_at_the_start(
    tmp_path: Path, settings: Settings, link: str
) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[httpx.Response, Any]:
        person = Person(client, "two-groups", PROLIFIC_PID="5f1")
        await person.start()
        page = await client.get(f"/s/two-groups{link}")
        return page, (await person.start()).json()

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        page, told = played(app, play)
    found = RESUMED.search(page.text)
    assert found is not None
    assert json.loads(found[1]) == told
    assert page.headers["cache-control"] == "no-store"
    assert "rest.js" in page.text


@pytest.mark.parametrize("cookie", [{}, {"understudy_two-groups": "s1.forged"}])
def test_nobody_else_gets_the_state_of_a_session(tmp_path: Path, settings: Settings, cookie: dict[str, str]) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[str, str]:
        await Person(client, "two-groups", PROLIFIC_PID="5f1").start()
        other = await client.get("/s/two-groups?PROLIFIC_PID=another")
        client.cookies.clear()
        client.cookies.update(cookie)
        return other.text, (await client.get("/s/two-groups?PROLIFIC_PID=5f1")).text

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        assert not any(RESUMED.search(page) for page in played(app, play))


def test_the_page_does_not_tell_who_takes_part(tmp_path: Path, settings: Settings) -> None:
    async def play(client: httpx.AsyncClient) -> list[str]:
        await Person(client, "two-groups", PROLIFIC_PID="5f1").start()
        client.cookies.clear()
        return [(await client.get(f"/s/two-groups?PROLIFIC_PID={name}")).text for name in ("5f1", "nobody")]

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        known, unknown = played(app, play)
    assert known == unknown != SHELL


@pytest.mark.parametrize("access", [{"links": "signed"}, {"ids": "required"}])
def test_people_whose_link_is_not_enough_get_the_plain_page(
    tmp_path: Path, settings: Settings, access: dict[str, str]
) -> None:
    assert opened(two_groups(access=access), tmp_path / "run", settings).text == SHELL


def test_a_full_study_sends_the_plain_page(tmp_path: Path, settings: Settings) -> None:
    async def play(client: httpx.AsyncClient) -> str:
        for name in ("a", "b"):
            await Person(client, "two-groups", PROLIFIC_PID=name).start()
        client.cookies.clear()
        return (await client.get("/s/two-groups")).text

    with server(folder_of(two_groups(assignment={"quota": 1}), tmp_path / "run"), settings=settings) as app:
        assert played(app, play) == SHELL


def test_a_paused_study_sends_the_plain_page(tmp_path: Path, settings: Settings) -> None:
    async def play(client: httpx.AsyncClient) -> str:
        pause = {"is_paused": True}
        await client.post("/api/admin/studies/two-groups/recruitment", json=pause, headers=ADMIN_HEADERS)
        return (await client.get("/s/two-groups")).text

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        assert played(app, play) == SHELL


def test_conditions_that_begin_differently_are_not_told_apart(tmp_path: Path, settings: Settings) -> None:
    assert opened(two_consents("Another text."), tmp_path / "run", settings).text == SHELL


def test_the_same_words_in_all_conditions_are_one_first_page(tmp_path: Path, settings: Settings) -> None:
    page = opened(two_consents("This study takes five minutes."), tmp_path / "run", settings)
    assert first_page_in(page) is None  # two blocks have two names, however alike they read


def test_a_study_that_does_not_begin_with_consent_sends_the_plain_page(tmp_path: Path, settings: Settings) -> None:
    plain = two_group_plain()
    lesson = {"kind": "screen", "block_id": "lesson", "purpose": "instructions"}
    plain["flow"].insert(0, {**lesson, "task": {"name": "instructions", "params": {"pages": ["Welcome."]}}})
    assert opened(Study.model_validate(plain), tmp_path / "run", settings).text == SHELL


def test_no_text_of_a_study_ends_the_block_that_it_is_in(tmp_path: Path, settings: Settings) -> None:
    text = "Look: </script><script>alert(1)</script> <!-- & so on"
    plain = two_group_plain()
    plain["flow"][0]["task"]["params"]["text"] = text
    page = opened(Study.model_validate(plain), tmp_path / "run", settings)
    assert page.text.count("<script") == 1
    assert first_page_in(page)["step"]["trial"]["params"]["text"] == text


def test_the_page_is_packed_only_for_browsers_that_unpack_it(tmp_path: Path, settings: Settings) -> None:
    async def play(client: httpx.AsyncClient) -> list[tuple[str | None, str]]:
        pages = [
            await client.get("/s/two-groups", headers={"accept-encoding": name}) for name in ("gzip, br", "identity")
        ]
        return [(page.headers.get("content-encoding"), page.text) for page in pages]

    with server(folder_of(two_groups(), tmp_path / "run"), settings=settings) as app:
        (packing, packed), (none, plain) = played(app, play)
    assert (packing, none) == ("gzip", None)
    assert packed == plain
    assert len(gzip.compress(packed.encode())) < len(packed)
