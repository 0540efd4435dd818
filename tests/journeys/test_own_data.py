"""Journey: a person's copy holds everything of theirs and nothing of anybody else's, and erasing leaves nothing anywhere."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from tests.playing import page, stage, study_of
from tests.serve.stage_door import ADMIN, ADMIN_HEADERS, SECRET, Person, folder_of, page_events, played, server, typical
from tests.serve.test_recordings import FIRST, SECOND, say
from tests.shell import understudy
from tests.workflow.result_files import exported_run, result_of, written
from understudy.actions.run_folder import existing_run, use_database
from understudy.schema import Study

pytest_plugins = ["tests.log_places"]
NAME = "two-groups"
ANNA, BEN = "anna-77c1f0", "ben-0042"
STORY = {
    ANNA: "Annas Satz über Kaffeesatz, den sonst niemand schrieb",
    BEN: "Bens eigener Satz über Regenschirme und Züge",
}
VOICE = {ANNA: FIRST + SECOND, BEN: FIRST[:4] + b"ben! " * 40}
DRAFT = {ANNA: "Annas Entwurf, verworfen", BEN: "Bens Entwurf, verworfen"}


def study() -> Study:
    """A paid study that asks for the voice and for words."""
    asks = {"text": "Your voice. Kept on our server. Heard by two of us.", "blocks": ["predict"]}
    voice = {"kind": "screen", "block_id": "voice", "purpose": "check", "task": {"name": "microphone", "params": asks}}
    text = {"kind": "text", "question_id": "story", "prompt": "Tell us <everything>."}
    tell = {"kind": "screen", "block_id": "tell", "purpose": "questionnaire", "task": {"name": "questionnaire", "params": {"questions": [text]}}}  # fmt: skip
    return study_of(voice, stage("predict"), tell, page("after"), pay={"base": 2.0, "currency": "USD"})


async def took_part(client: httpx.AsyncClient, name: str) -> Person:
    client.cookies.clear()
    person = Person(client, NAME, survey_code="", participant_id=name)
    await person.start()
    has_spoken = False
    while person.state["ended"] is None:
        trial = person.state["step"]["trial"]
        response = typical(trial) | {
            question: answer
            for question, answer in (("story", STORY[name]), ("microphone", "agreed"))
            if question in typical(trial)
        }
        if trial["block_id"] == "predict" and not has_spoken:
            got = await say(person, 1, VOICE[name])
            has_spoken = got.status_code == 200
        shown, moved, given = page_events(person.state, response)
        draft = {**moved, "action": "draft", "payload": {"answers": {"story": DRAFT[name]}, "rt_ms": 5, "active_ms": 5}}
        got = await person.send([shown, draft, given])
        assert got.status_code == 200, got.text
    assert has_spoken
    return person


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        return {name: found.read(name) for name in found.namelist()}


def everything_in(folder: Path, url: str | None) -> bytes:
    """Every byte of a run: its files, what is packed in them, and every row of its database."""
    parts = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        parts += [path.name.encode(), path.read_bytes()]
        if path.suffix == ".zip":
            parts += unpacked(path.read_bytes()).values()
    if url is not None:
        engine = sa.create_engine(url, poolclass=sa.NullPool)
        with engine.connect() as connection:
            for table in sa.inspect(engine).get_table_names():
                parts += [str(tuple(row)).encode() for row in connection.execute(sa.text(f'SELECT * FROM "{table}"'))]
    return b"\n".join(parts)


def prepared(tmp_path: Path, log_place: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str | None]:
    folder = folder_of(study(), tmp_path / "run")
    monkeypatch.setenv("UNDERSTUDY_SECRET", SECRET.decode())
    monkeypatch.setenv("UNDERSTUDY_ADMIN_TOKEN", ADMIN)
    if not log_place.startswith("postgresql"):
        return folder, None
    use_database(existing_run(folder), log_place)
    return folder, log_place


def traces_of(name: str, person: Person, pseudonym: str) -> list[bytes]:
    """The words of somebody: ids, answers, drafts, voice."""
    words = [name, STORY[name], DRAFT[name], person.token.partition(".")[0], pseudonym]
    return [form for word in words for form in {word.encode(), json.dumps(word)[1:-1].encode()}] + [VOICE[name]]


def test_copies_and_erasing_by_id_by_the_person_and_at_the_desk(
    tmp_path: Path, log_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = prepared(tmp_path, log_place, monkeypatch)

    async def play(client: httpx.AsyncClient) -> tuple[Any, ...]:
        people = {name: await took_part(client, name) for name in (ANNA, BEN)}
        client.cookies.clear()
        own = {name: await client.get(f"{one.base}/copy", headers=one.headers) for name, one in people.items()}
        session_id = people[ANNA].token.partition(".")[0]
        desk = await client.get(f"/api/admin/studies/{NAME}/sessions/{session_id}/copy", headers=ADMIN_HEADERS)
        forged = await client.get(f"{people[ANNA].base}/copy", headers={"Authorization": f"Bearer {session_id}.x"})
        return people, {name: got.content for name, got in own.items()}, desk.content, forged.status_code

    with server(folder) as app:
        people, own, desk, forged = played(app, play)
    pseudonyms = {name: json.loads(unpacked(own[name])["my-data.json"])["pseudonym"] for name in own}
    traces = {name: traces_of(name, people[name], pseudonyms[name]) for name in own}
    assert forged == 401

    understudy_copy = tmp_path / "copy.zip"
    shown = understudy("person", folder, ANNA, "--copy", understudy_copy)
    assert shown.code == 0, shown.err
    for name, copy in ((ANNA, own[ANNA]), (BEN, own[BEN]), (ANNA, desk), (ANNA, understudy_copy.read_bytes())):
        files = unpacked(copy)
        whole = b"\n".join(files.values())
        assert files["recordings/001.webm"] == VOICE[name]
        plain = json.loads(files["my-data.json"])
        given = {each["id"]: each["answer"] for line in plain["answers"] for each in line["answers"]}
        assert given["story"] == STORY[name]
        assert len(plain["answers"]) == len(plain["pages_seen"]) == len({line["page"] for line in plain["answers"]})
        assert DRAFT[name] in json.dumps(plain["interactions"], ensure_ascii=False)
        assert plain["link"] == {"participant_id": name, "survey_code": ""}
        assert plain["pay"]["base"] == 2.0
        assert STORY[name] in files["my-data.html"].decode()
        assert "Tell us &lt;everything&gt;." in files["my-data.html"].decode()
        other = BEN if name == ANNA else ANNA
        assert [trace for trace in traces[other] if trace in whole] == []

    # What lies about a run: a pay list that was ordered, a list of links, kept reports and archives, an own table.
    pay = understudy("pay", folder, "--csv", folder / "pay.csv")
    assert pay.code == 0, pay.err
    (folder / "lists").mkdir()
    (folder / "lists" / "links.txt").write_text(f"https://x.example/s/{NAME}?participant_id={ANNA}&signature=1\nkept\n")
    (folder / "codes.csv").write_text(f'unit,text\n1,"{STORY[ANNA]}"\n2,"{STORY[BEN]}"\n', encoding="utf-8")
    with zipfile.ZipFile(folder / "sent.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("events.jsonl", json.dumps({"answer": STORY[ANNA]}))
    before = everything_in(folder, url)
    assert [trace for trace in traces[ANNA] if trace in before]

    erased = understudy("person", folder, ANNA, "--erase", "--yes")
    assert erased.code == 0, erased.err
    after = everything_in(folder, url)
    assert [trace for trace in traces[ANNA] if trace in after] == []
    assert [trace for trace in (BEN.encode(), STORY[BEN].encode(), VOICE[BEN]) if trace not in after] == []
    assert not (folder / "sent.zip").exists()
    assert (folder / "lists" / "links.txt").read_text() == "kept\n"
    assert BEN in (folder / "pay.csv").read_text()
    for words in ("Erased in pay.csv", "Backups", "pay ledger: 1 step"):
        assert words in erased.out
    again = understudy("person", folder, ANNA, "--erase", "--yes")
    assert again.code == 2
    assert "holds nobody with the id" in again.err

    async def at_desk(client: httpx.AsyncClient) -> list[int]:
        session_id = people[BEN].token.partition(".")[0]
        address = f"/api/admin/studies/{NAME}/sessions/{session_id}/erase"
        refused = await client.post(address, json={}, headers=ADMIN_HEADERS)
        return [
            refused.status_code,
            (await client.post(address, json={"erase": True}, headers=ADMIN_HEADERS)).status_code,
        ]

    with server(folder) as app:
        assert played(app, at_desk) == [422, 200]
    after = everything_in(folder, url)
    assert [trace for trace in traces[BEN] if trace in after] == []
    assert understudy("status", folder).code == understudy("pay", folder, "--dry-run").code == 0


def test_collected_people_are_copied_and_erased_by_session_and_by_id_also_from_what_was_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_SECRET", SECRET.decode())
    monkeypatch.setenv("UNDERSTUDY_ADMIN_TOKEN", ADMIN)
    run = exported_run(tmp_path, n_sessions=5)
    results = [result_of(run, place=k, letter="abcde"[k]) for k in range(4)]
    # Two deposits of one person wait for a decision; the other two people have no id.
    results[2]["recruiter"] = results[3]["recruiter"] = {"PROLIFIC_PID": "5f77aa"}
    files = [written(result, tmp_path / f"{number}.json") for number, result in enumerate(results)]
    assert understudy("collect", run.folder, *files).code == 0
    assert len(list((run.folder / "set-aside").glob("*.json"))) == 2

    copied = understudy("person", run.folder, "a" * 22, "--session", "--copy", tmp_path / "copy.zip")
    assert copied.code == 0, copied.err
    plain = json.loads(unpacked((tmp_path / "copy.zip").read_bytes())["my-data.json"])
    sent = [event for event in results[0]["events"] if event["type"] == "response_given"]
    assert len(plain["answers"]) == len(sent) == 14
    assert [{each["id"]: each["answer"] for each in line["answers"]} for line in plain["answers"]] == [
        event["response"] for event in sent
    ]

    by_session = understudy("person", run.folder, "a" * 22, "--session", "--erase", "--yes")
    by_id = understudy("person", run.folder, "5f77aa", "--erase", "--yes")
    assert (by_session.code, by_id.code) == (0, 0), by_session.err + by_id.err
    assert "2 deposits set aside" in by_id.out
    left = everything_in(run.folder, None)
    assert [word for word in (b"a" * 22, b"c" * 22, b"d" * 22, b"5f77aa") if word in left] == []
    assert b"b" * 22 in left

    again = understudy("collect", run.folder, *files)
    with run.open_log() as log:
        assert [summary.session_id for summary in log.summaries(run.script.study.name)] == ["b" * 22]
    assert "erased" in again.out + again.err
