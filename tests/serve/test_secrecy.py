"""No byte a participant can reach tells an answer, and no address reaches a file that is not public."""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from serve.stage_door import Person, folder_of, played, server
from studies import numbered_items, two_group_plain
from understudy.schema import Study

NUMBER = {"kind": "number", "question_id": "guess", "prompt": "What will the model say?"}
TRUTHS = [7_310_000_000 + 9_973 * k for k in range(24)]


def numeric_study() -> Study:
    """People type a number, and the right ones are like nothing else in the study."""
    plain = two_group_plain(name="numeric")
    plain["item_sets"] = [{"name": "cases", "n_items": 24, "dataset": numbered_items(24, answer=TRUTHS)}]
    task = {"name": "judge", "params": {"questions": [NUMBER], "keys": {"guess": "answer"}}}
    plain["flow"][1]["task"] = task
    return Study.model_validate(plain)


def forms_of(value: Any) -> Iterator[bytes]:
    """Every way an answer could travel."""
    for text in {str(value), json.dumps(value), json.dumps({"guess": value}, separators=(",", ":"))}:
        raw = text.encode()
        yield raw
        yield from (base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="), raw.hex().encode())
        yield from (hashlib.new(kind, raw).hexdigest().encode() for kind in ("sha256", "sha1", "md5"))
        yield base64.b64encode(hashlib.sha256(raw).digest())


def reachable_bytes(folder: Path) -> bytes:
    """Everything a full session can fetch: states, acknowledgements, the shell, every file it may ask for."""

    async def play(client: httpx.AsyncClient) -> bytes:
        person = Person(client, "numeric")
        await person.start()
        await person.finish()
        await person.start()
        digest = person.state["study"]["digest"]
        names = ["answers.json", "study.json", "materials.json", "events.sqlite", "people.sqlite"]
        addresses = [f"/m/{digest}/{name}" for name in names] + ["/s/numeric", "/api/s/numeric/state", "/metrics"]
        for address in addresses:
            person.seen.append((await client.get(address, headers=person.headers)).content)
        return b"\n".join(person.seen)

    with server(folder) as app:
        return bytes(played(app, play))


def test_no_byte_a_participant_reaches_contains_an_answer(tmp_path: Path) -> None:
    folder = folder_of(numeric_study(), tmp_path)
    answers = json.loads((folder / "answers.json").read_text())["answers"]
    found = reachable_bytes(folder)
    values = {one["guess"] for one in answers.values()}
    assert len(values) == 24
    assert [form for value in values for form in forms_of(value) if form in found] == []


def test_the_search_for_answers_can_find_one(tmp_path: Path) -> None:
    folder = folder_of(numeric_study(), tmp_path)
    key = (folder / "answers.json").read_bytes()
    assert any(form in key for form in forms_of(TRUTHS[0]))


@pytest.mark.parametrize("word", ["typical", "stimulus_id", "levels", "strata", "truth", "condition", "lists", "shown\"", "hidden\""])  # fmt: skip
def test_a_state_names_nothing_that_belongs_to_the_design(tmp_path: Path, word: str) -> None:
    assert f'"{word}'.encode() not in reachable_bytes(folder_of(numeric_study(), tmp_path))


@pytest.mark.parametrize(
    "address",
    ["../answers.json", "..%2fanswers.json", "%2e%2e/answers.json", "....//answers.json", "..\\answers.json",
     "/etc/passwd", "%2fetc%2fpasswd", "assets/../../answers.json", "%00", "a" * 5000],
)  # fmt: skip
def test_no_address_leaves_the_public_files(tmp_path: Path, address: str) -> None:
    folder = folder_of(numeric_study(), tmp_path)

    async def play(client: httpx.AsyncClient) -> set[int]:
        digest = json.loads((folder / "answers.json").read_text())["study_digest"]
        got = [await client.get(f"{start}/{address}") for start in (f"/m/{digest}", "/static", "/s")]
        return {one.status_code for one in got}

    with server(folder) as app:
        assert played(app, play) == {404}
