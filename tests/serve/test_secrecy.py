"""No byte a participant can reach tells an answer, and no address reaches a file that is not public."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.serve.answer_search import forms_of, leaks
from tests.serve.secret_studies import (
    ARM,
    N_ITEMS,
    NUMBERS,
    OPTIONS,
    QUIZ_ANSWER,
    WORDS,
    armed_study,
    keyed_study,
    nonce_study,
)
from tests.serve.stage_door import GENEROUS, Person, folder_of, page_events, played, server, typical
from understudy.actions.run_folder import existing_run
from understudy.actions.serve import built_front_end
from understudy.actions.static_site import StaticOptions, static_folder
from understudy.prepare import prepare, write_prepared
from understudy.record import open_log
from understudy.schema import Interacted, Study

PRIVATE = ["answers.json", "study.json", "materials.json", "events.sqlite", "people.sqlite", "serve.secret"]
WEB = replace(GENEROUS, web=built_front_end())


class Collector:
    """Keeps every byte that comes back: status lines, headers, cookies, bodies."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    async def keep(self, response: httpx.Response) -> None:
        headers = b"\n".join(name + b": " + value for name, value in response.headers.raw)
        self.kept.append(b"%d\n%s\n\n%s" % (response.status_code, headers, await response.aread()))


async def visit(client: httpx.AsyncClient, study: str, assets: Sequence[str]) -> None:
    """Do everything a participant can do, the allowed and the refused, and fetch all there is."""
    person = Person(client, study, PROLIFIC_PID="5f1")
    await client.post(f"{person.base}/start", json={"preview": True})
    await person.start()
    while person.state["ended"] is None:
        await client.get(f"{person.base}/state", headers=person.headers)
        trial = person.state["step"]["trial"]
        events = page_events(person.state, typical(trial))
        for wrong in ({}, {name: ["odd"] for name in typical(trial)}, {"more": 1}):
            await person.send([*events[:2], {**events[2], "response": wrong}])
        await person.send([{**events[0], "seq": 9999}])
        await person.send(events)
    await person.start()
    await person.send([])
    digest = person.state["study"]["digest"]
    await client.post(f"{person.base}/withdraw", json={"erase": False}, headers=person.headers)
    # Files that several bundles share are searched once.
    front_end = {path.read_bytes(): path for path in sorted(built_front_end().rglob("*")) if path.is_file()}
    static = [path.relative_to(built_front_end()).as_posix() for path in front_end.values()]
    addresses = [
        *(f"/static/{name}" for name in static),
        *(f"/m/{digest}/{name}" for name in (*assets, *PRIVATE)),
        *("/", f"/s/{study}", "/s/other", "/metrics", "/healthz", "/readyz", "/admin", "/api/admin/studies"),
        f"/api/admin/studies/{study}/sessions", f"/api/admin/studies/{study}/report", f"/api/s/{study}/events",
    ]  # fmt: skip
    for address in addresses:
        await client.get(address, headers=person.headers)
        await client.get(address, headers={**person.headers, "Range": "bytes=0-99", "Accept-Encoding": "identity"})


def reachable(folder: Path) -> list[bytes]:
    """Return everything a full session can fetch, one entry for each response."""
    collector = Collector()
    study = json.loads((folder / "study.json").read_text())["name"]
    assets = sorted(path.name for path in (folder / "public" / "assets").glob("*"))

    async def play(client: httpx.AsyncClient) -> None:
        client.event_hooks = {"response": [collector.keep]}
        await visit(client, study, assets)

    with server(folder, settings=WEB) as app:
        played(app, play)
    return collector.kept


@pytest.fixture(scope="module")
def nonce_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nonce")
    return write_prepared(prepare(nonce_study(root), root), root / "run")


@pytest.fixture(scope="module")
def nonce_responses(nonce_folder: Path) -> list[bytes]:
    return reachable(nonce_folder)


@pytest.fixture(scope="module")
def nonce_bytes(nonce_responses: list[bytes]) -> bytes:
    return b"\n".join(nonce_responses)


def answers_in(folder: Path) -> dict[str, list[str]]:
    """Return each answer of the key with the trials and items it belongs to."""
    key = json.loads((folder / "answers.json").read_text())["answers"]
    found: dict[str, list[str]] = {}
    for trial_id, given in key.items():
        for question, answer in given.items():
            found.setdefault(str(answer), []).extend([trial_id, trial_id.partition(".")[2], question])
    return found


def test_no_byte_a_participant_reaches_contains_an_answer(nonce_folder: Path, nonce_bytes: bytes) -> None:
    answers = answers_in(nonce_folder)
    assert set(answers) == {*WORDS, *map(str, NUMBERS), QUIZ_ANSWER}
    assert leaks(nonce_bytes, answers) == []


def test_the_search_reaches_states_pages_scripts_assets_errors_and_cookies(nonce_bytes: bytes) -> None:
    wanted = [
        b'"step":{"number":3',
        b'<script type="module"',
        b"jsPsych",
        b"\x89PNG",
        b'"error"',
        b"set-cookie",
        b'"ended":{"outcome":"completed"',
    ]
    assert [part for part in wanted if part not in nonce_bytes] == []


PLANTED: dict[str, Callable[[str, str], bytes]] = {
    "raw": lambda word, _: word.encode(),
    "json": lambda word, _: json.dumps({"key": word}).encode(),
    "utf-16": lambda word, _: word.encode("utf-16"),
    "url": lambda word, _: quote(word).encode(),
    "hex": lambda word, _: word.encode().hex().encode(),
    "base64+0": lambda word, _: base64.b64encode(f"abc{word} and more".encode()),
    "base64+1": lambda word, _: base64.b64encode(f"a{word} and more".encode()),
    "base64+2": lambda word, _: base64.b64encode(f"ab{word} and more".encode()),
    "base64url+1": lambda word, _: base64.urlsafe_b64encode(f"{{{word}??>>".encode()),
    "reversed": lambda word, _: word[::-1].encode(),
    "md5": lambda word, _: _digest("md5", word),
    "sha1": lambda word, item: _digest("sha1", word + item),
    "sha256": lambda word, item: _digest("sha256", f"{item}:{word}"),
    "sha256 cut": lambda word, item: _digest("sha256", f"{word}{item}")[:16],
}  # fmt: skip


def _digest(name: str, text: str) -> bytes:
    return hashlib.new(name, text.encode()).hexdigest().encode()


@pytest.mark.parametrize("form", PLANTED)
def test_the_search_finds_a_planted_leak(form: str) -> None:
    haystack = b'{"trial_id":"predict.0f0f"} ' + PLANTED[form](WORDS[3], "predict.0f0f") + b" and the rest"
    found = leaks(haystack, {WORDS[3]: ["predict.0f0f"], WORDS[4]: ["predict.0f0f"]})
    assert f"{WORDS[3]}: {form}" in found
    assert [leak for leak in found if leak.startswith(WORDS[4])] == []


def test_the_search_finds_the_key_itself(nonce_folder: Path) -> None:
    found = leaks((nonce_folder / "answers.json").read_bytes(), answers_in(nonce_folder))
    assert {leak.partition(":")[0] for leak in found} == set(answers_in(nonce_folder))


def test_every_form_of_a_word_is_another_word_than_the_next(nonce_folder: Path) -> None:
    forms = [{form.bytes for form in forms_of(word)} for word in answers_in(nonce_folder)]
    assert sum(map(len, forms)) == len(set().union(*forms))


def transcript(study: Study, folder: Path) -> list[bytes]:
    """Return all that a session fetches, without what is drawn by chance or names the version."""
    plain = reachable(folder_of(study, folder))
    digest = json.loads((folder / "answers.json").read_text())["study_digest"].encode()
    chance: list[tuple[bytes, bytes]] = [
        (re.escape(digest), b"DIGEST"), (rb"[\w-]{22}\.[\w-]{43}", b"TOKEN"),
        (rb'"(trial_id|block_id|block)":"[a-z2-7]{16}"', b'"NAME"'), (rb'"code":"\w{8}"', b'"code":"CODE"'),
        (rb"(?m)^(last-modified|etag|date): .*$", b""), (rb'_seconds\S* [\d.e-]+', b"SECONDS"),
    ]  # fmt: skip
    for pattern, word in chance:
        plain = [re.sub(pattern, word, response) for response in plain]
    return plain


def test_another_key_changes_no_byte(tmp_path: Path) -> None:
    first, second = (transcript(keyed_study(shift=shift), tmp_path / str(shift)) for shift in (0, 1))
    keys = [json.loads((tmp_path / name / "answers.json").read_text())["answers"] for name in ("0", "1")]
    assert keys[0].keys() == keys[1].keys()
    assert all(keys[0][trial] != keys[1][trial] for trial in keys[0])
    assert [(a[:300], b[:300]) for a, b in zip(first, second, strict=True) if a != b] == []


def test_the_comparison_sees_an_answer_that_is_shown(tmp_path: Path) -> None:
    def revealing(shift: int) -> Study:
        plain: Any = keyed_study(shift=shift).model_dump(mode="json")
        plain["flow"][1]["feedback"] = "per_trial"
        return Study.model_validate(plain)

    first, second = (transcript(revealing(shift), tmp_path / str(shift)) for shift in (0, 1))
    differing = b"".join(a for a, b in zip(first, second, strict=True) if a != b)
    assert any(f'"answers":{{"choice":"{option}"'.encode() in differing for option in OPTIONS)


def arms_in(folder: Path) -> dict[str, list[str]]:
    """Return every name that tells the condition: the factor, its levels, and the ids of blocks and trials."""
    trials = json.loads((folder / "public" / "materials.json").read_text())["trials"]
    blocks = {trial["block_id"] for trial in trials.values()} - {"consent", "debrief"}
    digests = {trial_id.partition(".")[2] for trial_id in trials}
    return {name: [] for name in (ARM["factor"], *ARM["levels"], *blocks, *trials, *digests)}


@pytest.fixture(scope="module")
def armed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(armed_study(), tmp_path_factory.mktemp("armed") / "run")


def test_no_byte_a_participant_reaches_tells_the_condition(armed_folder: Path) -> None:
    found = b"\n".join(reachable(armed_folder))
    assert b'"references":[{' in found
    assert leaks(found, arms_in(armed_folder)) == []


def test_the_search_for_conditions_finds_them_where_they_are(armed_folder: Path) -> None:
    found = leaks((armed_folder / "public" / "materials.json").read_bytes(), arms_in(armed_folder))
    assert {one.partition(":")[0] for one in found} >= {f"lesson_{level}" for level in ARM["levels"]}


def test_two_people_of_one_condition_share_no_name(armed_folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[set[str]]:
        names: list[set[str]] = []
        for number in range(4):
            person = Person(client, "armed", PROLIFIC_PID=str(number))
            await person.start()
            await person.finish()
            names.append(set(re.findall(r'"(?:trial_id|block_id|block)":"([^"]+)"', b"".join(person.seen).decode())))
        return names

    with server(armed_folder) as app:
        names = played(app, play)
    assert all(len(own) > N_ITEMS for own in names)
    assert sum(map(len, names)) == len(set().union(*names))


def test_the_real_name_of_a_trial_is_refused(armed_folder: Path) -> None:
    """Otherwise somebody could try out which condition they are in."""

    async def play(client: httpx.AsyncClient) -> httpx.Response:
        person = Person(client, "armed")
        await person.start()
        events = page_events(person.state, {})
        return await client.post(f"{person.base}/events", json={"events": events[:1]}, headers=person.headers)

    with server(armed_folder) as app:
        got = played(app, play)
    assert (got.status_code, got.json()["error"]) == (
        422,
        "Step 0 with that trial is not the one at hand, which is 0.",
    )


def test_the_log_keeps_the_names_of_the_study(armed_folder: Path) -> None:
    async def play(client: httpx.AsyncClient) -> None:
        person = Person(client, "armed", PROLIFIC_PID="reader")
        await person.start()
        while not person.state["step"]["references"]:
            await person.answer()
        (reference,) = {one["block"] for one in person.state["step"]["references"]}
        shown, touched, _ = page_events(person.state, {})
        opened = {**touched, "action": "reference_opened", "payload": {"blocks": [person.page_name(reference)]}}
        first, again = await person.send([shown, opened]), await person.send([shown, opened])
        assert (first.status_code, again.status_code) == (200, 200)
        saved = (await person.fetch())["step"]["saved"]
        assert saved[0]["payload"] == {"blocks": [person.page_name(reference)]}

    with server(armed_folder) as app:
        played(app, play)
    with open_log(armed_folder / "events.sqlite") as log:
        events = [event for session in log.sessions() for event in session if isinstance(event, Interacted)]
    (opened,) = [event for event in events if event.action == "reference_opened"]
    level = ARM["levels"][0] if opened.trial_id.startswith(f"predict_{ARM['levels'][0]}") else ARM["levels"][1]
    assert (opened.trial_id.partition(".")[0], opened.payload) == (f"predict_{level}", {"blocks": [f"lesson_{level}"]})


def test_an_exported_folder_tells_no_condition(armed_folder: Path, tmp_path: Path) -> None:
    run = existing_run(armed_folder)
    static_folder(run, tmp_path / "site", web=built_front_end(), options=StaticOptions(n_sessions=4, reveals=True))
    found = b"\n".join(path.read_bytes() for path in sorted((tmp_path / "site" / "sessions").iterdir()))
    assert leaks(found, arms_in(armed_folder)) == []


@pytest.mark.parametrize("word", ["typical", "stimulus_id", "levels", "strata", "truth", "condition", "lists", "shown\"", "hidden\""])  # fmt: skip
def test_a_state_names_nothing_that_belongs_to_the_design(nonce_responses: list[bytes], word: str) -> None:
    states = [state for state in nonce_responses if b'"next_seq"' in state and b"javascript" not in state]
    assert len(states) > 30
    assert [state for state in states if f'"{word}'.encode() in state] == []


@pytest.mark.parametrize(
    "address",
    ["../answers.json", "..%2fanswers.json", "%2e%2e/answers.json", "....//answers.json", "..\\answers.json",
     "/etc/passwd", "%2fetc%2fpasswd", "assets/../../answers.json", "%00", "a" * 5000],
)  # fmt: skip
def test_no_address_leaves_the_public_files(nonce_folder: Path, address: str) -> None:
    async def play(client: httpx.AsyncClient) -> set[int]:
        digest = json.loads((nonce_folder / "answers.json").read_text())["study_digest"]
        got = [await client.get(f"{start}/{address}") for start in (f"/m/{digest}", "/static", "/s")]
        return {response.status_code for response in got}

    with server(nonce_folder) as app:
        assert played(app, play) == {404}
