"""Recordings: kept beside the log when somebody agreed, named in it chunk by chunk, and gone when they want."""

import hashlib
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import pytest

from tests.playing import page, stage, study_of
from tests.serve.stage_door import Person, answering, folder_of, played, server
from tests.shell import understudy
from understudy.check.study_check import faults_of
from understudy.record import open_log
from understudy.schema import RecordingStored, Study
from understudy.serve import Settings

HEAD = b"\x1a\x45\xdf\xa3"
FIRST, SECOND, THIRD = HEAD + b"one " * 9, b"two " * 11, b"three" * 5
START_MS = 1_700_000_000_900


def heard_study(**params: Any) -> Study:
    """A study that asks for the voice before its stage."""
    asks = {"text": "Your voice. Kept on our server. AudioChunk by two of us.", "blocks": ["predict"], **params}
    screen = {"kind": "screen", "block_id": "voice", "purpose": "check", "task": {"name": "microphone", "params": asks}}
    return study_of(screen, stage("predict"), page("after"))


async def come(client: httpx.AsyncClient, answer: str = "agreed", *, pid: str = "one") -> Person:
    """Take part up to the stage, with an answer to the question about the microphone."""
    person = Person(client, "two-groups", PROLIFIC_PID=pid)
    await person.start()
    await person.answer()
    await person.answer(answering(microphone=answer))
    return person


async def say(person: Person, chunk: int, content: bytes, **more: Any) -> httpx.Response:
    """Send a chunk."""
    kind = more.pop("kind", "audio/webm;codecs=opus")
    params = {"block": person.page_name("predict"), "started_ms": START_MS, "chunk": chunk, **more}
    headers = {**person.headers, "Content-Type": kind}
    return await person.client.post(f"{person.base}/recordings", params=params, content=content, headers=headers)


def session_id_of(person: Person) -> str:
    return person.token.partition(".")[0]


def files_in(folder: Path) -> dict[str, bytes]:
    root = folder / "recordings"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def stored(folder: Path) -> list[RecordingStored]:
    with open_log(folder / "events.sqlite") as log:
        return [
            event for events in log.sessions("two-groups") for event in events if isinstance(event, RecordingStored)
        ]


def test_chunks_become_one_file_that_the_log_names(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> str:
        person = await come(client)
        for number, content in enumerate((FIRST, SECOND, THIRD), start=1):
            assert (await say(person, number, content)).json() == {"stored_chunk": number}
        return session_id_of(person)

    with server(folder_of(heard_study(), tmp_path)) as app:
        session_id = played(app, play)
    assert files_in(tmp_path) == {f"{session_id}/001-predict.webm": FIRST + SECOND + THIRD}
    named = [(one.part, one.chunk, one.n_bytes, one.sha256) for one in stored(tmp_path)]
    said = enumerate((FIRST, SECOND, THIRD), start=1)
    assert named == [(1, number, len(one), hashlib.sha256(one).hexdigest()) for number, one in said]


def test_the_names_of_a_new_file_are_on_the_disk_before_the_log_has_them(tmp_path: Path) -> None:
    synced: list[Path] = []
    at_commit: list[list[Path]] = []

    def note(handle: int, sync: Callable[[int], None] = os.fsync) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").resolve())
        sync(handle)

    async def play(client: httpx.AsyncClient) -> str:
        person = await come(client)
        with patch("understudy.record.run_folder.os.fsync", note):
            await say(person, 1, FIRST)
            at_commit.append(list(synced))
            await say(person, 2, SECOND)
        return session_id_of(person)

    with server(folder_of(heard_study(), tmp_path)) as app:
        session_id = played(app, play)
    folder = tmp_path.resolve() / "recordings"
    file = folder / session_id / "001-predict.webm"
    assert [path for path in at_commit[0] if path.suffix != ".sqlite"] == [
        file,
        folder / session_id,
        folder,
        folder.parent,
    ]
    assert synced.count(folder) == 1


def test_another_start_is_another_file(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> None:
        person = await come(client)
        await say(person, 1, FIRST)
        await say(person, 1, FIRST, started_ms=START_MS + 1)

    with server(folder_of(heard_study(), tmp_path)) as app:
        played(app, play)
    assert sorted(Path(name).name for name in files_in(tmp_path)) == ["001-predict.webm", "002-predict.webm"]


def test_a_chunk_sent_twice_is_stored_once(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = await come(client)
        await say(person, 1, FIRST)
        return (await say(person, 1, FIRST)).status_code

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == 200
    assert list(files_in(tmp_path).values()) == [FIRST]
    assert len(stored(tmp_path)) == 1


def test_bytes_that_the_log_does_not_name_are_overwritten(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> None:
        person = await come(client)
        await say(person, 1, FIRST)
        (path,) = (tmp_path / "recordings").rglob("*.webm")
        path.write_bytes(FIRST + b"a write that broke off before the log had it")
        await say(person, 2, SECOND)

    with server(folder_of(heard_study(), tmp_path)) as app:
        played(app, play)
    assert list(files_in(tmp_path).values()) == [FIRST + SECOND]


def test_a_recording_goes_on_after_the_server_came_back(tmp_path: Path) -> None:
    kept: list[Person] = []

    async def before(client: httpx.AsyncClient) -> None:
        kept.append(await come(client))
        await say(kept[0], 1, FIRST)

    async def after(client: httpx.AsyncClient) -> tuple[int, bool]:
        kept[0].client = client
        state = await kept[0].fetch()
        return (await say(kept[0], 2, SECOND)).status_code, state["step"]["is_recorded"]

    folder = folder_of(heard_study(), tmp_path)
    with server(folder) as app:
        played(app, before)
    with server(folder) as app:
        assert played(app, after) == (200, True)
    assert list(files_in(tmp_path).values()) == [FIRST + SECOND]


@pytest.mark.parametrize("answer", ["declined", "not available"])
def test_who_did_not_agree_is_not_recorded(tmp_path: Path, answer: str) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[bool, int, str]:
        person = await come(client, answer)
        is_told = person.state["step"]["is_recorded"]
        status = (await say(person, 1, FIRST)).status_code
        return is_told, status, (await person.finish())["outcome"]

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == (False, 403, "completed")
    assert files_in(tmp_path) == {}


def test_only_the_blocks_named_are_recorded(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> dict[str, bool]:
        person = await come(client)
        told = {}
        while person.state["ended"] is None:
            step = person.state["step"]
            told[step["trial"]["block_id"]] = step.get("is_recorded", False)
            await person.answer()
        return told

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == {"predict": True, "after": False, "debrief": False}


@pytest.mark.parametrize(
    ("status", "sentence", "chunk", "content", "more"),
    [
        (415, "Send a recording as audio/webm or audio/mp4.", 1, FIRST, {"kind": "video/webm"}),
        (415, "Send a recording as audio/webm or audio/mp4.", 1, FIRST, {"kind": "text/plain"}),
        (413, "A chunk of a recording holds at most 1 kB; send shorter ones.", 1, HEAD + b"x" * 2000, {}),
        (422, "The chunk is empty; send the bytes of the recording as the body.", 1, b"", {}),
        (422, "'chunk' counts from 1 to 100000.", 0, FIRST, {}),
        (422, "'started_ms' is a whole number from 0.", 1, FIRST, {"started_ms": "noon"}),
        (422, "The first chunk does not begin as audio/webm does", 1, b"<script>", {}),
        (422, "The first chunk does not begin as audio/mp4 does", 1, FIRST, {"kind": "audio/mp4"}),
        (
            403,
            "This session did not agree to be recorded here, so nothing was stored.",
            1,
            FIRST,
            {"block": "../../public"},
        ),
        (409, "The next chunk of this recording has number 1", 2, SECOND, {}),
    ],
)
def test_a_refusal_is_one_sentence_and_stores_nothing(
    tmp_path: Path, status: int, sentence: str, chunk: int, content: bytes, more: dict[str, Any]
) -> None:
    async def play(client: httpx.AsyncClient) -> httpx.Response:
        return await say(await come(client), chunk, content, **more)

    with server(folder_of(heard_study(), tmp_path), settings=Settings(chunk_limit=1024)) as app:
        got = played(app, play)
    assert got.status_code == status
    assert sentence in got.json()["error"]
    assert files_in(tmp_path) == {}


def test_a_stored_chunk_is_never_changed(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[int, int]:
        person = await come(client)
        await say(person, 1, FIRST)
        got = await say(person, 1, FIRST + b"!")
        return got.status_code, got.json()["expected_chunk"]

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == (409, 2)
    assert list(files_in(tmp_path).values()) == [FIRST]


def test_a_session_cannot_fill_the_disk(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = await come(client)
        return [(await say(person, number, FIRST)).status_code for number in (1, 2)]

    with server(folder_of(heard_study(), tmp_path), settings=Settings(recording_limit=60)) as app:
        assert played(app, play) == [200, 413]


def test_a_disk_that_cannot_store_is_said_and_the_study_goes_on(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[int, str]:
        person = await come(client)
        (tmp_path / "recordings").write_text("in the way")
        status = (await say(person, 1, FIRST)).status_code
        return status, (await person.finish())["outcome"]

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == (503, "completed")
    assert stored(tmp_path) == []


def test_a_machine_without_the_beginning_of_a_recording_does_not_store_the_rest(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> list[int]:
        person = await come(client)
        first = await say(person, 1, FIRST)
        (tmp_path / "recordings").rename(tmp_path / "on another machine")
        rest = await say(person, 2, SECOND)
        return [first.status_code, rest.status_code]

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == [200, 503]
    assert [chunk.chunk for chunk in stored(tmp_path)] == [1]


def test_a_recording_needs_the_token_of_its_session(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = await come(client)
        person.token = "nobody.at-all"
        client.cookies.clear()
        return (await say(person, 1, FIRST)).status_code

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == 401


def test_no_address_gives_a_recording_out(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> set[int]:
        person = await come(client)
        await say(person, 1, FIRST)
        name = f"{session_id_of(person)}/001-predict.webm"
        digest = person.state["study"]["digest"]
        base = f"{person.base}/recordings"
        tried = (base, f"{base}/{name}", f"/m/{digest}/{name}", f"/static/../recordings/{name}", f"/recordings/{name}")
        return {(await client.get(one, headers=person.headers)).status_code for one in tried}

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) <= {404, 405}


def test_the_last_words_of_somebody_who_finished_are_kept(tmp_path: Path) -> None:
    async def play(client: httpx.AsyncClient) -> int:
        person = await come(client)
        await say(person, 1, FIRST)
        await person.finish()
        return (await say(person, 2, SECOND)).status_code

    with server(folder_of(heard_study(), tmp_path)) as app:
        assert played(app, play) == 200
    assert list(files_in(tmp_path).values()) == [FIRST + SECOND]


@pytest.mark.parametrize("erase", [True, False])
def test_erasure_takes_the_voice_along_and_withdrawal_ends_it(tmp_path: Path, erase: bool) -> None:
    async def play(client: httpx.AsyncClient) -> tuple[str, str, int]:
        person, other = await come(client), await come(client, pid="other")
        for one in (person, other):
            await say(one, 1, FIRST)
        await client.post(f"{person.base}/withdraw", json={"erase": erase}, headers=person.headers)
        late = await say(person, 2, SECOND)
        return session_id_of(person), session_id_of(other), late.status_code

    with server(folder_of(heard_study(), tmp_path)) as app:
        gone, left, late = played(app, play)
    assert late == 410
    kept = [left] if erase else sorted([gone, left])
    assert files_in(tmp_path) == {f"{one}/001-predict.webm": FIRST for one in kept}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A folder in which two finished, one of them recorded."""

    async def play(client: httpx.AsyncClient) -> None:
        for answer in ("agreed", "declined"):
            person = await come(client, answer, pid=answer)
            await say(person, 1, FIRST)
            await person.finish()

    with server(folder_of(heard_study(), tmp_path / "run")) as app:
        played(app, play)
    return tmp_path / "run"


def test_an_export_leaves_voices_out_and_says_so(recorded: Path) -> None:
    shown = understudy("export", str(recorded), "--out", str(recorded / "all.zip"))
    assert "It leaves out 1 recording of 1 participant; add --audio to include them." in shown.out
    with zipfile.ZipFile(recorded / "all.zip") as archive:
        assert [name for name in archive.namelist() if "recordings" in name] == []


def test_an_export_takes_voices_along_when_asked(recorded: Path) -> None:
    shown = understudy("export", str(recorded), "--out", str(recorded / "all.zip"), "--audio")
    assert "It holds 1 recording of 1 participant." in shown.out
    (name,) = files_in(recorded)
    with zipfile.ZipFile(recorded / "all.zip") as archive:
        assert archive.read(f"data/recordings/{name}") == FIRST


@pytest.mark.parametrize(("damage", "sentence"), [(None, "does not exist"), (b"other", "is not what was stored")])
def test_an_export_refuses_a_voice_that_is_not_what_was_stored(
    recorded: Path, damage: bytes | None, sentence: str
) -> None:
    (path,) = (recorded / "recordings").rglob("*.webm")
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    shown = understudy("export", str(recorded), "--out", str(recorded / "all.zip"), "--audio")
    assert shown.code != 0
    assert sentence in shown.err


def test_a_folder_without_a_server_cannot_record(recorded: Path, tmp_path: Path) -> None:
    shown = understudy("export", str(recorded), "--static", str(tmp_path / "site"))
    assert "'voice' asks to record voices, which needs a server to keep them; use understudy serve." in shown.err


def test_blocks_to_be_recorded_must_follow_the_question() -> None:
    (fault,) = faults_of(heard_study(blocks=["consent", "predict"]), Path())
    assert fault.startswith("Block 'voice', blocks, ")
    assert "'consent'" in fault
