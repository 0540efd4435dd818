"""Run folders, archives, result files and messages of version 0.1.0 still open, and give the numbers they gave then.

What they hold and how they were made is said in make_stored.py.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.serve.stage_door import Person, played
from tests.shell import understudy
from tests.stored.numbers import WORDING, Archive, differences
from tests.stored.opening import (
    HERE,
    NAMES,
    Opened,
    digest_in,
    served,
    session_of,
    stored,
    texts_of,
    token_of,
    unpacked,
)

STATIC = "static"
"""The run whose sessions come as result files, to be collected first."""
OF_PEOPLE = ("served", STATIC)
FROZEN = HERE / "preregistration" / "served.preregistration.json"


def run_of(name: str, folder: Path) -> Path:
    """Unpack a stored run with all its sessions."""
    run = unpacked(f"{name}.run.zip", folder / "run")
    if name == STATIC:
        told = understudy("collect", run, *sorted((HERE / "results").iterdir()), "--json")
        assert json.loads(told.out)["outcomes"] == {"completed": 2}, told.err
    return run


def exported(name: str, folder: Path) -> Archive:
    """Export a stored run with the current version."""
    path = folder / "new.zip"
    frozen = ("--preregistration", FROZEN) if name == "served" else ()
    shown = understudy("export", run_of(name, folder), "--out", path, *frozen)
    assert shown.code == 0, shown.err
    return Archive(path)


def nameless(state: dict[str, Any]) -> dict[str, Any]:
    """What is told of an end, without the code that belongs to one session alone."""
    return {key: value for key, value in state.items() if key != "code"}


def test_every_kind_of_run_is_stored() -> None:
    assert {"loan", "tabular", "text", "reconstruction", "questions", "attributions", "served", "static"} <= {*NAMES}


def test_a_changed_number_and_a_lost_field_are_found() -> None:
    old = {"p_value": 0.25, "n": 3, "groups": [{"mean": 1.0}], "why": "as it was"}
    new = {"p_value": 0.250001, "groups": [{"mean": 1.0, "sd": 2.0}], "why": "in other words"}
    found = differences(old, new, skipped=WORDING)
    assert [fault.partition(":")[0] for fault in found] == [".p_value", ".n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_run_gives_the_same_numbers_rows_and_events(name: str, tmp_path: Path) -> None:
    old, new = Archive(HERE / f"{name}.archive.zip"), exported(name, tmp_path)
    assert differences(old.findings, new.findings, skipped=WORDING) == []
    assert differences(old.columns(), new.columns()) == []
    assert differences(old.events, new.events) == []


@pytest.mark.parametrize("name", NAMES)
def test_sessions_of_a_stored_run_resume_to_their_end(name: str, tmp_path: Path) -> None:
    run = Opened(run_of(name, tmp_path))
    assert run.sessions
    for events in run.sessions:
        assert run.rebuilt(events) == texts_of(events)


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_run_is_served_to_those_who_come_back(name: str, tmp_path: Path) -> None:
    folder = run_of(name, tmp_path)
    run = Opened(folder)

    async def ask(client: Any) -> list[int]:
        address = f"/api/s/{run.study}/state"
        tokens = [token_of(events[0].session_id) for events in run.sessions]
        asked = [await client.get(address, headers={"Authorization": f"Bearer {token}"}) for token in tokens]
        return [answer.status_code for answer in asked]

    with served(folder, is_rehearsal=name not in OF_PEOPLE) as app:
        assert set(played(app, ask)) == {200}


@pytest.mark.parametrize("name", NAMES)
def test_somebody_new_can_take_part_with_stored_materials(name: str, tmp_path: Path) -> None:
    folder = unpacked(f"{name}.run.zip", tmp_path)
    study = Opened(folder).study
    without_sessions(folder)

    async def take_part(client: Any) -> str:
        person = Person(client, study)
        await person.start()
        return str((await person.finish())["outcome"])

    with served(folder) as app:
        assert played(app, take_part) in ("completed", "screened_out")


def without_sessions(folder: Path) -> None:
    """Leave of a run what prepares the study."""
    for path in folder.glob("*.sqlite"):
        path.unlink()


def test_the_messages_of_a_stored_browser_are_answered_as_before(tmp_path: Path) -> None:
    folder = unpacked("served.run.zip", tmp_path)
    without_sessions(folder)
    messages: Sequence[dict[str, Any]] = stored("messages.json")

    async def send(client: Any) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        # Today's pages know trials by other names than the study does, and other ones in each session.
        person = Person(client, "served")
        for message in messages:
            body = message["body"]
            if "events" in body:
                body = {
                    "events": [{**event, "trial_id": person.page_name(event["trial_id"])} for event in body["events"]]
                }
            answer = await client.post(f"/api/s/served/{message['to']}", json=body)
            plain = answer.json()
            person.token = plain.get("token", person.token)
            state = person.told(plain.get("state", plain))
            told.append(
                {
                    "status": answer.status_code,
                    "acknowledged_seq": plain.get("acknowledged_seq"),
                    "next_trial": (state["step"] or {}).get("trial", {}).get("trial_id"),
                    "ended": state["ended"] and nameless(state["ended"]),
                }
            )
        return told

    then = [{**message, "ended": message["ended"] and nameless(message["ended"])} for message in messages]
    kept = ("status", "acknowledged_seq", "next_trial", "ended")
    with served(folder) as app:
        assert played(app, send) == [{key: message[key] for key in kept} for message in then]


def test_a_person_of_a_stored_run_is_known_again(tmp_path: Path) -> None:
    folder = run_of("served", tmp_path)
    session_id = session_of(folder, "served", "first")
    assert session_id is not None

    async def come_back(client: Any) -> Any:
        person = Person(client, "served", PROLIFIC_PID="first")
        by_id = await person.start()
        client.cookies.set("understudy_served", token_of(session_id))
        by_browser = await person.start()
        return by_id.json()["refused"], by_browser.status_code, person.state["ended"]["outcome"]

    with served(folder) as app:
        assert played(app, come_back) == ("known", 200, "completed")


def test_the_table_in_a_stored_archive_is_analysed_to_the_same_numbers(tmp_path: Path) -> None:
    table = Archive(HERE / "loan.archive.zip").write("Trials_data.csv", tmp_path)
    shown = understudy("analyze", table, "--plan", HERE / "studies" / "loan.analysis.toml", "--json")
    # Version 0.1.0 forgot that the people of this table are simulated.
    found = json.loads(shown.out)
    assert found["provenance"]["is_synthetic"]
    assert differences(stored("loan.analysis.json"), found, skipped=WORDING | {"is_synthetic"}) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_study_in_a_stored_archive_keeps_its_digest(name: str, tmp_path: Path) -> None:
    archive = Archive(HERE / f"{name}.archive.zip")
    digest = json.loads(archive.file("materials/digests.json"))["study"]
    found = [digest_in(archive.write(f"materials/study{ending}", tmp_path)) for ending in (".json", ".yaml")]
    assert found == [digest, digest]


def test_stored_study_files_keep_their_digests() -> None:
    digests = stored("digests.json")
    assert {name: digest_in(HERE / "studies" / name) for name in digests} == digests


@pytest.mark.parametrize("file", ["loan.toml", "loan.yaml", "attributions.toml"])
def test_a_stored_study_file_is_still_sound(file: str) -> None:
    shown = understudy("check", HERE / "studies" / file, "--json")
    assert json.loads(shown.out)["version"] == stored("digests.json")[file]


def test_a_stored_study_whose_arms_are_the_same_is_told_so() -> None:
    # Version 0.1.0 called it sound; it still prepares, serves and reports.
    shown = understudy("check", HERE / "studies" / "pictures.toml")
    assert (shown.code, len(shown.err.splitlines())) == (2, 1)
    assert shown.err.startswith("pictures.toml: Factor 'explanation' changes nothing")


def test_a_stored_run_is_reported_against_its_preregistration(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    shown = understudy("report", run_of("served", tmp_path), "--out", page, "--preregistration", FROZEN)
    assert (shown.code, page.is_file()) == (0, True)


@pytest.mark.parametrize("command", ["status", "report", "export"])
def test_a_run_folder_with_the_old_names_of_sessions_and_trials_still_opens(command: str, tmp_path: Path) -> None:
    folder = unpacked("served.run.zip", tmp_path)
    assert understudy(command, folder).code == 0
    # Opening it chains what it holds, so that a later loss is noticed.
    assert Opened(folder).damage is None


def test_stored_results_of_a_concept_test_get_the_same_verdicts(tmp_path: Path) -> None:
    shown = understudy("probe", unpacked("probe.results.zip", tmp_path / "probe"), "--json")
    # The version that stored them called a concept by its folder.
    found = json.loads(shown.out.replace("rotation", "probe"))
    assert differences(stored("probe.verdicts.json"), found, skipped=WORDING) == []
