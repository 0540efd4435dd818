"""Back up a run while it is served, check a backup, and put one back.

A backup is itself a run folder: it can be served as it is. Its log is a file, also where the run keeps its events in
PostgreSQL.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from understudy.errors import FaultsError, LogError, UnderstudyError
from understudy.record import Log, lock_folder, open_log, parts_in, tombstone_ids
from understudy.record.connect import without_password
from understudy.record.log import now_ms
from understudy.serve.people.people import People
from understudy.workflow.backups.files import copy_backup, copy_files, database_digests, file_faults
from understudy.workflow.backups.manifest import LOG, MANIFEST, BackupManifest, manifest_in, write_manifest
from understudy.workflow.backups.restored import note_restored
from understudy.workflow.runs.desks import copy_accounts, moved_accounts
from understudy.workflow.runs.run_folder import RECORDINGS, Run, database_of, existing_run, use_database

PEOPLE = "people.sqlite"
_N_TRIES = 3


class _CopiedLog(NamedTuple):
    """What a fresh copy of the log says about itself."""

    manifest: BackupManifest
    participant_ids: frozenset[str]
    people: dict[str, dict[str, str]]
    """What recruiters call people, where a shared database knows it."""
    n_ever: int
    """Sessions that ever were, erased ones included."""
    n_erased: int


def back_up(run: Run, target: Path, clock: Callable[[], int]) -> BackupManifest:
    """Bring a backup up to date, or make a first one; the old one stays as it is if anything is wrong."""
    _require_other_place(run.folder, target)
    earlier = manifest_in(target)
    if earlier is None and target.exists() and any(target.iterdir()):
        raise UnderstudyError(f"{target} holds other files, and no backup; choose a new or empty folder.")
    if earlier is not None and earlier.study_digest != run.script.digest:
        raise UnderstudyError(
            f"{target} holds a backup of {earlier.study_name!r} in another version ({earlier.study_digest[:12]}); choose "
            "another folder, so that both stay."
        )
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.chmod(0o700)
    # Nobody may serve from a backup while it is written.
    with lock_folder(target):
        for _ in range(_N_TRIES):
            copied = _copy_log(run, target, earlier, clock())
            files = copy_files(run.folder, target, {} if earlier is None else earlier.files)
            _fit_people(target / PEOPLE, copied)
            copy_accounts(run, target)
            with run.open_log() as log:
                # Who was erased after the log was copied must not stay in it.
                if len(log.tombstones(run.script.study.name)) == copied.n_erased:
                    break
        manifest = copied.manifest.model_copy(update={"files": files | database_digests(target)})
        write_manifest(manifest, target)
    return manifest


def faults_in(backup: Path) -> Iterator[str]:
    """Yield everything that is wrong with a backup, one sentence each."""
    manifest = manifest_in(backup)
    if manifest is None:
        yield f"{backup} has no {MANIFEST}, so it is not a backup; give the folder that understudy backup wrote."
        return
    yield from file_faults(backup, manifest)
    if not (backup / LOG).is_file():
        if LOG not in manifest.files:
            yield f"{backup / LOG} is missing from the backup."
        return
    try:
        with open_log(backup / LOG) as log:
            yield from _log_faults(log, manifest)
            yield from _recording_faults(existing_run(backup), log)
    except UnderstudyError as error:
        yield str(error)


def restore(
    backup: Path,
    folder: Path,
    database: str | None = None,
    *,
    erasures_of: Path | None = None,
    clock: Callable[[], int] = now_ms,
) -> BackupManifest:
    """Put a backup back as a new run folder, its events into a file or into an empty PostgreSQL database.

    People who were erased in the folder `erasures_of` after the backup was made is erased in the new folder, too.
    """
    faults = tuple(faults_in(backup))
    if faults:
        raise FaultsError(faults)
    manifest = manifest_in(backup)
    if manifest is None:
        raise UnderstudyError(f"{backup} is not a backup.")
    if folder.exists() and any(folder.iterdir()):
        raise UnderstudyError(f"{folder} is not empty, and nothing is ever overwritten; give a new folder.")
    with lock_folder(backup):
        copy_backup(backup, folder)
    folder.chmod(0o700)
    note_restored(folder, manifest.made_ms, clock())
    if erasures_of is not None:
        _repeat_erasures(existing_run(folder), existing_run(erasures_of))
    if database is not None:
        _move_to_database(existing_run(folder), database)
    return manifest


def _copy_log(run: Run, target: Path, earlier: BackupManifest | None, made_ms: int) -> _CopiedLog:
    draft = target / f"{LOG}.part"
    url = database_of(run.folder)
    with run.open_log() as log:
        log.copy_to(draft)
    name = run.script.study.name
    with open_log(draft) as copy:
        damage, mark = copy.damage(), copy.mark()
        if damage is not None:
            raise LogError(f"The event log of {run.folder} {damage.told}. The backup in {target} stays as it was.")
        if earlier is not None and earlier.mark is not None and not copy.holds(earlier.mark):
            raise LogError(
                f"The event log of {run.folder} does not go on from the one in {target}: an older copy was put back, or "
                "a loss was accepted. Keep that backup, and make the next one in another folder."
            )
        summaries, n_erased = list(copy.summaries(name)), len(copy.tombstones(name))
        manifest = BackupManifest(
            study_name=name, study_digest=run.script.digest, made_ms=made_ms,
            mark_number=mark.number if mark else None, mark_digest=mark.digest if mark else "",
            n_events=copy.count_events(), n_sessions=len(summaries),
            database="" if url is None else without_password(url),
        )  # fmt: skip
        people = copy.people(name)
    if earlier is not None:
        # After a crash from here on, the log and its neighbours may be newer than the list, and are not wrong for that.
        write_manifest(earlier.model_copy(update={"is_unfinished": True}), target)
    draft.replace(target / LOG)
    ids = frozenset(summary.participant_id for summary in summaries)
    return _CopiedLog(manifest, ids, people, len(summaries) + n_erased, n_erased)


def _fit_people(path: Path, copied: _CopiedLog) -> None:
    """Make the list of people that of the copied log, which is a moment older, or knows them all by itself."""
    if not path.exists() and not copied.people:
        return
    people = People(path)
    for participant_id, fields in copied.people.items():
        people.remember(participant_id, fields)
    people.fit_to_copy(copied.participant_ids, n_sessions=copied.n_ever)


def _log_faults(log: Log, manifest: BackupManifest) -> Iterator[str]:
    damage = log.damage()
    if damage is not None:
        yield f"The event log {log.label} {damage.told}."
    elif manifest.mark is not None and not log.holds(manifest.mark):
        yield f"The event log {log.label} is not the one that was backed up."


def _recording_faults(run: Run, log: Log) -> Iterator[str]:
    # Without recordings there is no need to read every session.
    if not (run.folder / RECORDINGS).is_dir():
        return
    for session in log.sessions(run.script.study.name):
        for part in parts_in(session):
            try:
                run.recordings.read(part)
            except LogError as error:
                yield str(error)


def _repeat_erasures(run: Run, old: Run) -> None:
    name = run.script.study.name
    with old.open_log() as old_log:
        hashes = {tombstone.session_hash for tombstone in old_log.tombstones(name)}
    with run.open_log() as log:
        for summary in list(log.summaries(name)):
            if not hashes.isdisjoint(tombstone_ids(summary.session_id)):
                People(run.folder / PEOPLE).forget(summary.participant_id)
                run.recordings.forget(summary.session_id)
                log.erase(summary.session_id)


def _move_to_database(run: Run, url: str) -> None:
    with run.open_log() as log:
        log.pour_into(url)
    with open_log(url) as shared:
        if (run.folder / PEOPLE).exists():
            shared.enter_people(run.script.study.name, People(run.folder / PEOPLE).all())
        moved_accounts(run.folder, shared.desk())
    for path in run.folder.glob(f"{LOG}*"):
        path.unlink()
    use_database(run, url)


def _require_other_place(folder: Path, target: Path) -> None:
    source, goal = folder.resolve(), target.resolve()
    if source == goal or source in goal.parents or goal in source.parents:
        raise UnderstudyError(f"{target} and {folder} lie in each other; choose a folder elsewhere for the backup.")
    if target.exists() and not target.is_dir():
        raise UnderstudyError(f"{target} is a file; give a folder for the backup.")
    parent = next(path for path in (goal, *goal.parents) if path.exists())
    if not os.access(parent, os.W_OK):
        raise UnderstudyError(f"{target} cannot be written; check the permissions of {parent}.")
