"""Journey: after somebody takes everything back, no byte of the run folder is theirs, and reports still count them."""

import io
import os
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import httpx
import pandas as pd
import pytest

from tests.playing import stage, study_of
from tests.serve.stage_door import ADMIN_HEADERS, Person, folder_of, page_events, played, server, typical
from tests.shell import understudy
from understudy.actions import serve
from understudy.schema import Study

ADMIN = "/api/admin/studies/two-groups"
WORDS = "Glimmerfrosch und Kaffeesatz, sagte niemand sonst"
DRAFT = "Zwischenstand eines Satzes, den ich wieder loeschte"
PID = "5f00dcafe5f00dcafe"


class Traces(NamedTuple):
    """What is somebody's own: their ids and their words."""

    session_id: str
    participant_id: str

    def found_in(self, found: bytes) -> list[str]:
        return [word for word in (*self, PID, WORDS, DRAFT) if word.encode() in found]


def telling() -> Study:
    """A study that lets people write."""
    text = {"kind": "text", "question_id": "story", "prompt": "Tell us."}
    task = {"name": "questionnaire", "params": {"questions": [text]}}
    return study_of(stage("predict"), {"kind": "screen", "block_id": "tell", "purpose": "questionnaire", "task": task})


async def told(client: httpx.AsyncClient, pid: str, words: str) -> Person:
    """Take part to the end, with a draft that was thought better of."""
    person = Person(client, "two-groups", PROLIFIC_PID=pid)
    await person.start()
    while person.state["ended"] is None:
        response = {**typical(person.state["step"]["trial"])}
        response |= {"story": words} if "story" in response else {}
        shown, moved, given = page_events(person.state, response)
        draft = {**moved, "action": "draft", "payload": {"answers": {"story": DRAFT if pid == PID else "no"}}}
        await person.send([shown, draft, given])
    return person


async def made(client: httpx.AsyncClient) -> list[bytes]:
    """Have a report and an export made, as a researcher would."""
    got = [await client.get(f"{ADMIN}/{what}", headers=ADMIN_HEADERS, timeout=120) for what in ("report", "export")]
    assert [one.status_code for one in got] == [200, 200], got[0].text
    return [one.content for one in got]


def made_here(command: str, folder: Path, path: Path) -> bytes:
    """Make a report or an export in this process: that a server starts one of its own is tested elsewhere."""
    shown = understudy(command, folder, "--out", path)
    assert shown.code == 0, shown.err
    return path.read_bytes()


def bytes_of(folder: Path) -> bytes:
    """Every byte of every file: database, write-ahead log, tables, report, and what lies packed in archives."""
    parts = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        parts += [path.name.encode(), path.read_bytes()]
        if path.suffix == ".parquet":
            parts.append(pd.read_parquet(path).to_csv().encode())
    return b"\n".join([*parts, *(unpacked(path.read_bytes()) for path in folder.rglob("*.zip"))])


def unpacked(archive: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        return b"\n".join(found.read(name) for name in found.namelist())


def test_after_erasure_nothing_is_left_but_the_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_output_of", made_here)
    folder = folder_of(telling(), tmp_path)
    snapshots: list[bytes] = []

    async def play(client: httpx.AsyncClient) -> tuple[Traces, list[bytes]]:
        for number in range(8):
            await told(client, f"other-{number}", "Nothing to tell.")
        person = await told(client, PID, WORDS)
        await made(client)
        with closing(sqlite3.connect(folder / "events.sqlite")) as database:
            session_id = person.token.partition(".")[0]
            wanted = "SELECT participant_id FROM sessions WHERE session_id = ?"
            traces = Traces(session_id, database.execute(wanted, (session_id,)).fetchone()[0])
        snapshots.append(bytes_of(folder))
        await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)
        snapshots.append(bytes_of(folder))
        report, export = await made(client)
        counts = (await client.get("/api/admin/studies", headers=ADMIN_HEADERS)).content
        sessions = (await client.get(f"{ADMIN}/sessions", headers=ADMIN_HEADERS)).content
        snapshots.append(bytes_of(folder))
        return traces, [report, unpacked(export), counts, sessions]

    with server(folder) as app:
        traces, shown = played(app, play)
    assert traces.found_in(snapshots[0]) == [*traces, PID, WORDS, DRAFT]
    assert [traces.found_in(one) for one in (*snapshots[1:], bytes_of(folder), *shown)] == [[]] * 7
    assert b'"n_erased":1' in shown[2]
    assert b"erased" in shown[0].lower()


def test_copies_that_outlived_a_crash_go_at_the_next_start(tmp_path: Path) -> None:
    folder = folder_of(telling(), tmp_path)

    async def play(client: httpx.AsyncClient) -> None:
        person = await told(client, PID, WORDS)
        await client.post(f"{person.base}/withdraw", json={"erase": True}, headers=person.headers)

    with server(folder) as app:
        played(app, play)
    (folder / "report.html").write_text(WORDS)
    os.utime(folder / "report.html", (0, 0))
    (folder / "two-groups.zip").write_text("made after the erasure")
    with server(folder):
        left = {path.name for path in folder.iterdir()}
    assert ("report.html" in left, "two-groups.zip" in left) == (False, True)
