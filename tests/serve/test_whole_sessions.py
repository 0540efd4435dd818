"""Whole sessions over HTTP: every ending, and coming back at every step."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.journeys.dials_study import dials_study
from tests.playing import quiz, rich_study, stage, study_of
from tests.serve.stage_door import ADMIN_HEADERS, Person, answering, everything, folder_of, page_events, played, server
from tests.small_studies import two_groups
from understudy.inference import shipped_decoder
from understudy.protocols import loan_demo
from understudy.record import open_log
from understudy.schema import Study, blocks_in


@pytest.mark.parametrize("study", [two_groups(), rich_study(), loan_demo()], ids=lambda one: one.name)
def test_a_participant_comes_to_the_end_with_a_code(study: Study, tmp_path: Path) -> None:
    right = answering(quiz="this")

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, study.name)
        assert (await person.start()).status_code == 201
        return await person.finish(_keyed(tmp_path / "run", right))

    with server(folder_of(study, tmp_path / "run")) as app:
        ended = played(app, play)
    assert (ended["outcome"], len(ended["code"])) == ("completed", 8)


def _keyed(folder: Path, otherwise: Any) -> Any:
    """Answer as the key says, where it says anything."""
    key = json.loads((folder / "answers.json").read_text())["answers"]
    return lambda trial: {**otherwise(trial), **key.get(trial["trial_id"], {})}


def test_every_acknowledged_event_is_in_the_log(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = Person(client, "two-groups")
        await person.start()
        await person.finish()
        return int(person.state["next_seq"])

    with server(folder_of(two_groups(), tmp_path)) as app:
        next_seq = played(app, play)
    with open_log(tmp_path / "events.sqlite") as log:
        (events,) = log.sessions()
    assert [event.seq for event in events if event.stream == "page"] == list(range(1, next_seq))


def test_people_who_click_through_do_not_shorten_the_minutes_of_others_also_after_a_restart(tmp_path: Path) -> None:
    async def at_first(client: httpx.AsyncClient) -> float:
        person = Person(client, "two-groups")
        await person.start()
        # Minutes of a condition are told after the person has agreed.
        before: float | None = person.state["step"]["minutes_left"]
        await person.answer()
        after: float = person.state["step"]["minutes_left"]
        await person.finish()
        assert before is None
        return after

    folder = folder_of(two_groups(), tmp_path)
    with server(folder) as app:
        estimated, learned = played(app, at_first), played(app, at_first)
    with server(folder) as app:
        restarted = played(app, at_first)
    # Everybody here answers at once, far faster than anybody reads.
    assert restarted == learned == estimated


def test_a_failed_gate_ends_kindly_with_part_of_the_pay(tmp_path: Path) -> None:
    study = study_of(quiz(tries=2, pay_share=0.5), stage("predict"), pay={"base": 2})

    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, study.name)
        await person.start()
        return await person.finish(answering(quiz="that"))

    with server(folder_of(study, tmp_path)) as app:
        ended = played(app, play)
    assert (ended["outcome"], ended["pay"]) == ("screened_out", {"currency": "USD", "base": 1.0, "bonus": 0.0})


def test_a_second_try_is_shown_as_one(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups")
        await person.start()
        await person.answer()
        await person.answer(answering(quiz="that"))
        return person.state["step"]["try_number"]

    with server(folder_of(study_of(quiz(tries=2), stage("predict")), tmp_path)) as app:
        assert played(app, play) == 2


def test_who_declines_goes_without_a_code(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups")
        await person.start()
        return await person.finish(answering(consent="I do not agree"))

    with server(folder_of(two_groups(), tmp_path)) as app:
        ended = played(app, play)
    assert (ended["outcome"], ended["code"], ended["redirect"]) == ("declined", None, None)


def test_a_reload_at_every_step_finds_the_same_state(tmp_path: Path) -> None:
    """A new browser with the same cookie, on a server that has just been started again, each time."""
    folder = folder_of(rich_study(), tmp_path)
    keyed = _keyed(folder, answering(quiz="this"))
    n_steps, cookies, states = 0, httpx.Cookies(), list[Any]()

    async def play(client: httpx.AsyncClient) -> tuple[Any, Any]:
        client.cookies = cookies
        person = Person(client, "rich")
        got = await person.start()
        assert got.status_code == (200 if states else 201)
        cookies.update(client.cookies)
        found = person.state
        await person.answer(keyed)
        return found, person.state

    while not states or states[-1]["ended"] is None:
        with server(folder) as app:
            found, after = played(app, play)
        assert not states or everything(found) == everything(states[-1])
        n_steps += 1
        states.append(after)
    assert n_steps > len(blocks_in(rich_study().flow))


def test_what_a_page_saved_comes_back(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "two-groups")
        await person.start()
        shown, touched, _ = page_events(person.state, {})
        await person.send([shown, touched])
        return (await person.fetch())["step"]

    with server(folder_of(two_groups(), tmp_path)) as app:
        step = played(app, play)
    assert step["shown_seq"] is True
    assert step["saved"] == [{"action": "focus", "payload": {"on": True}, "at_ms": 1_700_000_000_500}]


def test_earlier_material_stays_within_reach_of_those_who_had_it(tmp_path: Path) -> None:
    folder = folder_of(rich_study(), tmp_path)
    keyed = _keyed(folder, answering(quiz="this"))

    async def play(client: httpx.AsyncClient) -> list[list[tuple[str, str]]]:
        found = []
        for number in range(2):
            person = Person(client, "rich", PROLIFIC_PID=str(number))
            await person.start()
            while person.state["step"]["trial"]["block_id"] != "pre":
                await person.answer(keyed)
            found.append(
                [(reference["block"], reference["trial"]["task"]) for reference in person.state["step"]["references"]]
            )
        return sorted(found)

    with server(folder) as app:
        assert played(app, play) == [[], [("method", "instructions")]]


def test_a_preview_takes_no_place(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        got = await client.post("/api/s/two-groups/start", json={"preview": True})
        studies = await client.get("/api/admin/studies", headers=ADMIN_HEADERS)
        return got, studies.json()[0]["cells"]

    with server(folder_of(two_groups(), tmp_path)) as app:
        got, cells = played(app, play)
    assert got.json()["skin"] == {"is_preview": True}
    assert "token" not in got.json()
    assert "set-cookie" not in got.headers
    assert sum(cell["assigned"] for cell in cells) == 0


def test_live_models_of_later_parts_are_named_while_people_read(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        person = Person(client, "dials-en")
        await person.start()
        return person.state

    with server(folder_of(dials_study(), tmp_path / "run")) as app:
        state = played(app, play)
    names = {shipped_decoder(word).address for word in ("practice-disc", "practice-shape", "sinelines-gt")}
    assert (state["step"]["trial"]["task"], set(state["preload"])) == ("consent", names)
