"""Backups with a fault: what is wrong is said, and the last good copy stays."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.serve.stage_door import folder_of
from tests.shell import understudy
from tests.small_studies import two_groups
from tests.workflow.backup_scene import STUDY, backed_up, damaged, filled, refused, stored_of
from understudy.actions.backup import faults_in, restore
from understudy.record import lock_folder, open_log
from understudy.schema import RecordingStored


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(two_groups(), tmp_path / "run")


def test_a_damaged_log_does_not_replace_a_whole_copy(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    damaged(folder)
    shown = understudy("backup", folder, tmp_path / "copy")
    assert (shown.code, "is damaged: 1 event that was stored is missing" in shown.err) == (2, True)
    assert list(faults_in(tmp_path / "copy")) == []


def test_an_older_log_does_not_replace_a_newer_copy(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(filled(folder, "a"), tmp_path / "older")
    backed_up(filled(folder, "b"), tmp_path / "copy")
    shown = understudy("backup", tmp_path / "older", tmp_path / "copy")
    assert (shown.code, "does not go on from the one in" in shown.err) == (2, True)
    assert len(stored_of(tmp_path / "copy")) == 2


def changed(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b" ")


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "an event is missing": (damaged, "is damaged: 1 event that was stored is missing"),
    "a file is missing": (lambda copy: (copy / "answers.json").unlink(), "answers.json is missing from the backup."),
    "a file was changed": (lambda copy: changed(copy / "study.json"), "study.json is not what was backed up."),
    "the log is missing": (lambda copy: (copy / "events.sqlite").unlink(), "events.sqlite is missing from the backup."),
    "the people were changed": (lambda copy: changed(copy / "people.sqlite"), "people.sqlite is not what was backed up."),
    "the people are noise": (
        lambda copy: (copy / "people.sqlite").write_bytes(bytes(range(256))), "people.sqlite is not what was backed up."
    ),
    "the people are missing": (lambda copy: (copy / "people.sqlite").unlink(), "people.sqlite is missing from the backup."),
    "a file was added": (lambda copy: (copy / "more.txt").write_text("x"), "more.txt was not backed up"),
    "a journal was added": (lambda copy: (copy / "people.sqlite-wal").write_text("x"), "-wal was not backed up"),
    "a database was added": (lambda copy: (copy / "researchers.sqlite").write_text("x"), "researchers.sqlite was not"),
    "the list is missing": (lambda copy: (copy / "backup.json").unlink(), "has no backup.json, so it is not a backup"),
    "the list is broken": (lambda copy: (copy / "backup.json").write_text("{"), "cannot be read as the list of a backup"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_backup_is_not_put_back(folder: Path, tmp_path: Path, fault: str) -> None:
    plant, said = FAULTS[fault]
    backed_up(filled(folder, "a"), tmp_path / "copy")
    plant(tmp_path / "copy")
    for words in (["--check"], [tmp_path / "again"]):
        shown = understudy("restore", tmp_path / "copy", *words)
        assert (shown.code, said in shown.err) == (2, True), shown.err
    assert not (tmp_path / "again").exists()


def without_databases(copy: Path) -> None:
    """Write the list of a backup as older versions did."""
    manifest = json.loads((copy / "backup.json").read_text())
    manifest["files"] = {name: mark for name, mark in manifest["files"].items() if not name.endswith(".sqlite")}
    (copy / "backup.json").write_text(json.dumps(manifest))


def test_a_backup_of_an_older_version_is_put_back_and_its_gaps_are_told(folder: Path, tmp_path: Path) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    without_databases(tmp_path / "copy")
    shown = understudy("restore", tmp_path / "copy", "--check")
    assert "whole, as far as can be told. It cannot vouch that people.sqlite and all other files" in shown.out
    assert "an older version of understudy wrote it; run understudy backup again." in shown.out
    assert understudy("restore", tmp_path / "copy", tmp_path / "again").code == 0


def test_an_interrupted_backup_can_still_be_put_back(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backed_up(filled(folder, "a"), tmp_path / "copy")
    filled(folder, "b")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("understudy.actions.backup.copy_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            backed_up(folder, tmp_path / "copy")
    assert "when that was interrupted" in understudy("restore", tmp_path / "copy", "--check").out
    restore(tmp_path / "copy", tmp_path / "again")
    assert len(stored_of(tmp_path / "again")) == 2
    backed_up(folder, tmp_path / "copy")
    assert "is whole: every file" in understudy("restore", tmp_path / "copy", "--check").out


def test_a_recording_that_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    filled(folder, "a")
    with open_log(folder / "events.sqlite") as log:
        session_id = next(log.summaries(STUDY)).session_id
        log.append([RecordingStored(
            session_id=session_id, seq=1, at_ms=1, block_id="talk", part=1, chunk=1, started_ms=1, media="webm",
            n_bytes=5, sha256="0" * 64,
        )])  # fmt: skip
    (folder / "recordings").mkdir()
    (folder / "recordings" / "note.txt").write_text("kept")
    backed_up(folder, tmp_path / "copy")
    assert ["talk.webm, which does not exist" in fault for fault in faults_in(tmp_path / "copy")] == [True]


def test_a_folder_with_other_files_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    assert "holds other files, and no backup" in refused("backup", folder, tmp_path / "mine")
    assert "lie in each other" in refused("backup", folder, folder / "copy")
    assert "is a file; give a folder" in refused("backup", folder, tmp_path / "mine" / "thesis.txt")


def test_a_backup_of_another_version_stays(folder: Path, tmp_path: Path) -> None:
    backed_up(folder, tmp_path / "copy")
    other = folder_of(two_groups(title="Another title"), tmp_path / "other")
    assert "in another version" in refused("backup", other, tmp_path / "copy")


def test_nobody_writes_to_a_copy_that_is_served(folder: Path, tmp_path: Path) -> None:
    backed_up(folder, tmp_path / "copy")
    with lock_folder(tmp_path / "copy"):
        assert "is in use by another understudy serve" in refused("backup", folder, tmp_path / "copy")
