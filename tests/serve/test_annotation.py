"""Annotators at the desk: blind, each under their name, never overwriting; researchers settle what they disagree about."""

import json
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.coded_people import JUDGEMENT, coded_run, coded_study
from tests.serve.stage_door import ADMIN_HEADERS, GENEROUS, folder_of, played, server
from tests.serve.test_recordings import FIRST, SECOND, come, heard_study, say
from tests.serve.test_researchers import CSRF, sign_in
from understudy.actions.run_folder import Run, existing_run
from understudy.schema import SessionStarted
from understudy.schema.annotation import CodingScheme

SCHEME = "/api/admin/studies/two-groups/annotation/judgement"
TEXTS = ["The model liked high incomes.", "I had lunch.", "Savings."]
Play = Callable[[httpx.AsyncClient], Awaitable[Any]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, stored_accounts: Path) -> Path:
    """A run with three texts and an account for each role, made once."""
    made = coded_run(tmp_path_factory.mktemp("filled") / "run", TEXTS)
    shutil.copy(stored_accounts, made.folder / "researchers.sqlite")
    return made.folder


@pytest.fixture
def run(tmp_path: Path, filled: Path) -> Run:
    return existing_run(Path(shutil.copytree(filled, tmp_path / "run")))


def desk(run: Run, play: Play) -> Any:
    with server(run.folder, settings=replace(GENEROUS, researchers=run.folder / "researchers.sqlite")) as app:
        return played(app, play)


async def queue(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(SCHEME)).json()["queue"]
    return found


async def give(client: httpx.AsyncClient, unit: str, *codes: str, revision: int = 0, **more: Any) -> httpx.Response:
    body = {"codes": codes, "revision": revision, **more}
    return await client.post(f"{SCHEME}/units/{unit}", json=body, headers=CSRF)


def codes_in(run: Run) -> list[tuple[str, Any, int]]:
    with run.open_log() as log:
        events = [event for events in log.sessions() for event in events if event.type == "codes_given"]
    return [(event.annotator, event.codes, event.revision) for event in events]


def test_an_annotator_sees_texts_and_nothing_about_people(run: Run) -> None:
    async def play(client: httpx.AsyncClient) -> str:
        await sign_in(client, "annotator")
        units = [await client.get(f"{SCHEME}/units/{queued['unit_id']}") for queued in await queue(client)]
        lists = [await client.get("/api/admin/annotation"), await client.get(SCHEME)]
        return json.dumps([answer.json() for answer in (*lists, *units)])

    seen = desk(run, play)
    with run.open_log() as log:
        started = [events[0] for events in log.sessions()]
    assert all(text in seen for text in TEXTS)
    for event in started:
        assert isinstance(event, SessionStarted)
        told = (event.session_id, event.participant_id, '"shown"', '"hidden"', run.script.study.title)
        assert not any(word in seen for word in told)


@pytest.mark.parametrize(
    "address", ["/api/admin/studies", "/api/admin/studies/two-groups/sessions", f"{SCHEME}/agreement", f"{SCHEME}/book"]
)
def test_agreement_sessions_and_counts_are_closed_to_annotators(run: Run, address: str) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        await sign_in(client, "annotator")
        return (await client.get(address)).status_code

    assert desk(run, play) == 403


def test_codes_are_stored_under_the_name_and_survive_a_reload(run: Run) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        await sign_in(client, "annotator")
        first = (await queue(client))[0]["unit_id"]
        stored = (await give(client, first, "unsure", note=" Hm. ")).json()
        return stored, (await queue(client))[0]

    stored, queued = desk(run, play)
    assert stored == {"revision": 1, "n_left": 2}
    assert (queued["codes"], queued["note"], queued["revision"]) == (["unsure"], "Hm.", 1)
    assert codes_in(run) == [("an-annotator", ("unsure",), 1)]


def test_two_windows_do_not_overwrite_each_other(run: Run) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        await sign_in(client, "annotator")
        unit = (await queue(client))[0]["unit_id"]
        return [await give(client, unit, "include"), await give(client, unit, "exclude")]

    first, second = desk(run, play)
    assert (first.status_code, second.status_code) == (200, 409)
    assert second.json()["error"] == "You coded this text in another window meanwhile; reload the page to see it."


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            {"codes": ["maybe"], "revision": 0},
            "'maybe' is not in the code book. Choose from: include, unsure, exclude.",
        ),
        ({"codes": [], "revision": 0}, "A text gets exactly one code here, and 0 were given."),
        ({"codes": ["include"], "revision": 0, "note": "x" * 2001}, "A note has at most 2000 characters."),
        ({"codes": ["include", "include"], "revision": 0}, "Codes are different texts of 1 to 80 characters."),
    ],
)
def test_wrong_codes_get_a_sentence_and_change_nothing(run: Run, body: dict[str, Any], sentence: str) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        await sign_in(client, "annotator")
        unit = (await queue(client))[0]["unit_id"]
        return (await client.post(f"{SCHEME}/units/{unit}", json=body, headers=CSRF)).json()["error"]

    assert desk(run, play) == sentence
    assert codes_in(run) == []


def test_people_without_a_name_code_nothing(run: Run) -> None:
    (run.folder / "researchers.sqlite").unlink()

    async def play(client: httpx.AsyncClient) -> Any:
        tasks = (await client.get("/api/admin/annotation", headers=ADMIN_HEADERS)).json()
        answer = await client.post(f"{SCHEME}/units/{'0' * 20}", json={"codes": ["include"]}, headers=ADMIN_HEADERS)
        return tasks["can_code"], answer.status_code

    assert desk(run, play) == (False, 403)


def test_a_disagreement_is_settled_with_a_reason_and_kept_in_the_log(run: Run) -> None:
    async def play(client: httpx.AsyncClient) -> Any:
        await sign_in(client, "annotator")
        unit = (await queue(client))[0]["unit_id"]
        await give(client, unit, "include")
        await sign_in(client, "researcher")
        await give(client, unit, "exclude", note="Far off.")
        before = (await client.get(f"{SCHEME}/agreement")).json()
        refused = await client.post(
            f"{SCHEME}/units/{unit}/settle", json={"codes": ["exclude"], "reason": " "}, headers=CSRF
        )
        decision = {"codes": ["exclude"], "reason": "It is about lunch."}
        await client.post(f"{SCHEME}/units/{unit}/settle", json=decision, headers=CSRF)
        return before, refused, (await client.get(f"{SCHEME}/agreement")).json()

    before, refused, after = desk(run, play)
    assert refused.json()["error"].startswith("Give a reason")
    assert [person["is_blind"] for person in before["annotators"]] == [True, False]
    assert (before["disputes"][0]["decision"], after["disputes"][0]["decision"]["reason"]) == (
        None,
        "It is about lunch.",
    )
    assert after["disputes"][0]["decision"]["actor"] == "an-researcher"
    with run.open_log() as log:
        deeds = [action.action for action in log.desk_actions("two-groups")]
    assert {"codes_settled", "agreement_opened"} <= set(deeds)


def test_open_labels_are_merged_before_closed_coding_and_not_after(tmp_path: Path, stored_accounts: Path) -> None:
    scheme = {**JUDGEMENT, "begins": "open", "choose": "several", "codes": [], "groups": {}}
    study = coded_study(scheme, measures=[{"name": "correct", "measure": "correct"}], exclusions=[])
    made = coded_run(tmp_path / "run", TEXTS, study)
    (made.folder / "researchers.sqlite").write_bytes(stored_accounts.read_bytes())

    async def play(client: httpx.AsyncClient) -> Any:
        async def change(**asked: Any) -> httpx.Response:
            return await client.post(f"{SCHEME}/book", json=asked, headers=CSRF)

        await sign_in(client, "researcher")
        await give(client, (await queue(client))[0]["unit_id"], "money", "guess")
        too_soon = await change(change="closed_coding_began")
        await change(change="labels_merged", code_id="savings", definition="Names money.", merged=["money"])
        await change(change="closed_coding_began")
        late = await change(change="labels_merged", code_id="guess", merged=["guess"])
        book = (await client.get(f"{SCHEME}/book")).json()
        return too_soon, late, book, await queue(client)

    too_soon, late, book, queued = desk(made, play)
    assert (too_soon.status_code, late.status_code) == (422, 409)
    assert ([code["code_id"] for code in book["codes"]], book["phase"]) == (["savings"], "closed")
    assert [label["code_id"] for label in book["labels"]] == ["", "savings"]
    assert all(unit["codes"] is None for unit in queued)  # everybody codes every text anew


def test_annotators_hear_recordings_and_viewers_do_not(tmp_path: Path, stored_accounts: Path) -> None:
    scheme = {"scheme_id": "judgement", "reads": "recordings", "unit": "person", "codes": JUDGEMENT["codes"]}
    study = heard_study().model_copy(update={"annotation": (CodingScheme.model_validate(scheme),)})
    folder = folder_of(study, tmp_path / "run")
    (folder / "researchers.sqlite").write_bytes(stored_accounts.read_bytes())

    async def play(client: httpx.AsyncClient) -> Any:
        person = await come(client)
        for number, content in enumerate((FIRST, SECOND), start=1):
            await say(person, number, content)
        await person.finish()
        await sign_in(client, "annotator")
        unit = (await client.get(f"{SCHEME}/units/{(await queue(client))[0]['unit_id']}")).json()
        heard = await client.get(unit["recordings"][0])
        part = await client.get(unit["recordings"][0], headers={"Range": "bytes=4-7"})
        await sign_in(client, "viewer")
        return heard, part, await client.get(unit["recordings"][0])

    with server(folder, settings=replace(GENEROUS, researchers=folder / "researchers.sqlite")) as app:
        heard, part, refused = played(app, play)
    assert (heard.content, heard.headers["content-type"]) == (FIRST + SECOND, "audio/webm")
    assert (part.status_code, part.content, refused.status_code) == (206, FIRST[4:8], 403)
