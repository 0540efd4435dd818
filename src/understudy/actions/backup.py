"""Backups: what is copied and when, the list that a backup keeps, and how it is checked and restored."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from understudy.actions.access import copy_accounts, moved_accounts, read_private, write_private
from understudy.actions.preview import WALKS
from understudy.actions.run_folder import (
    ACKNOWLEDGED,
    DATABASE,
    EXPLANATIONS,
    LOSS_TOLD,
    RECORDINGS,
    Run,
    database_of,
    existing_run,
    use_database,
)
from understudy.conduct.pay import PATIENCE_MS
from understudy.errors import FaultsError, LogError, UnderstudyError
from understudy.record import Log, Mark, copy_sqlite, lock_folder, open_log, parts_in, tombstone_ids
from understudy.record.copies import AS_FOUND, require_plain
from understudy.record.database import without_password
from understudy.record.log import now_ms
from understudy.schema import Record, canonical_json, json_from_record
from understudy.serve.people import People

MANIFEST = "backup.json"
LOG = "events.sqlite"


class BackupManifest(Record):
    """What a backup holds."""

    study_name: str
    study_digest: str
    made_ms: int
    """When it was begun: every event acknowledged before is in it."""
    mark_number: int | None = None
    mark_digest: str = ""
    """The newest commit of the log in it; the number is None for a log without events."""
    n_events: int
    n_sessions: int
    database: str = ""
    """The address of the database that the events came from, without its password; empty for a file."""
    files: dict[str, str] = {}
    """Path in the backup -> SHA-256 of every file; older versions left databases out."""
    is_unfinished: bool = False
    """True while the backup is brought up to date: its databases may be newer than this list."""

    @property
    def is_complete(self) -> bool:
        """Whether the list has the digest of every file as it is now."""
        return LOG in self.files and not self.is_unfinished

    @property
    def mark(self) -> Mark | None:
        """The newest commit of the log, None if it had no events."""
        return None if self.mark_number is None else Mark(self.mark_number, self.mark_digest)


def counts_of(manifest: BackupManifest) -> str:
    """Say how much a backup holds."""
    n_sessions = f"{manifest.n_sessions:,} session{'' if manifest.n_sessions == 1 else 's'}"
    return f"{manifest.n_events:,} event{'' if manifest.n_events == 1 else 's'} of {n_sessions}"


def manifest_in(folder: Path) -> BackupManifest | None:
    """Return the list of a backup; None for a folder without one."""
    path = folder / MANIFEST
    try:
        return BackupManifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, ValidationError):
        raise UnderstudyError(f"{path} cannot be read as the list of a backup; use another backup.") from None


def write_manifest(manifest: BackupManifest, folder: Path) -> None:
    """Write the list of a backup, whole or not at all."""
    path, draft = folder / MANIFEST, folder / f"{MANIFEST}.part"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(canonical_json(json_from_record(manifest)))
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


# Runs that were restored from a backup: payments ordered after it was made are missing from their ledger.

RESTORED = "restored.json"
"""The file of a run that says when it was restored, until its payments are known to be complete."""


class Restored(Record):
    """When a backup was made and put back."""

    made_ms: int
    restored_ms: int


def note_restored(folder: Path, made_ms: int, restored_ms: int) -> None:
    """Write down that a run comes from a backup."""
    write_private(folder / RESTORED, Restored(made_ms=made_ms, restored_ms=restored_ms).model_dump_json())


def require_known_orders(folder: Path, now_ms: int, *, is_by_list: bool, none_lost: bool) -> None:
    """Raise an error if payments may have been ordered that neither the ledger nor the platform shows yet."""
    if (folder / MANIFEST).is_file():
        raise UnderstudyError(
            f"{folder} is a backup, and payments from it would be missing in its run; pay from the run, or restore the backup first."
        )
    restored = _restored(folder)
    if restored is None:
        return
    until_ms = restored.restored_ms + PATIENCE_MS
    if none_lost or (not is_by_list and now_ms > until_ms):
        (folder / RESTORED).unlink()
        return
    since, at = _when(restored.made_ms), _when(restored.restored_ms)
    if is_by_list:
        wait = "Lists that were written in between would be paid twice. If there are none, add --no-orders-lost."
    else:
        wait = (
            f"The recruiter may not show bonuses that were ordered in between, and they would be paid twice. Wait until {_when(until_ms)}; "
            "if nothing was ordered in between, add --no-orders-lost."
        )
    raise UnderstudyError(
        f"{folder} was restored on {at} from a backup of {since}. {wait} --dry-run shows what is due."
    )


def _restored(folder: Path) -> Restored | None:
    damaged = "does not say when the run was restored; if nothing was ordered since its backup, delete it."
    return read_private(folder / RESTORED, Restored, damaged=damaged)


def _when(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"


# Which files of a run a backup holds, and how they are copied: only what changed, and each whole or not at all.

_DERIVED = {"tables", EXPLANATIONS, WALKS, "report.html", "report.state", "report.progress"}
"""What can be made again from the rest."""
_LOCK = "in_use.lock"
_OF_THE_PLACE = {DATABASE, MANIFEST, _LOCK, LOG, RESTORED, ACKNOWLEDGED, LOSS_TOLD}
"""What belongs to one folder only; the log is copied by itself."""
_PASSING = ("-wal", "-shm", "-journal", ".part", "-acknowledged")
"""Endings of files that databases and copies leave next to themselves while they work."""
_PIECE = 1024 * 1024


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a run that a backup holds besides the log, as paths in the folder."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        is_left_out = inside.parts[0] in _DERIVED | _OF_THE_PLACE or path.name.endswith(_PASSING)
        is_left_out = is_left_out or AS_FOUND in path.name
        is_archive = len(inside.parts) == 1 and path.suffix == ".zip"
        if path.is_file() and not is_left_out and not is_archive:
            yield inside


def copy_files(source: Path, target: Path, known: Mapping[str, str]) -> dict[str, str]:
    """Make the files of a backup those of a run; `known` are the digests of the last time.

    Returns the digests of all files but databases, which may still be changed to fit the copied log.
    """
    digests: dict[str, str] = {}
    wanted = set()
    for inside in files_of(source):
        wanted.add(inside)
        (target / inside).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if inside.suffix == ".sqlite":
            _copy_database(source / inside, target / inside)
        # Somebody may be erased while this runs, and their recordings with them.
        elif (digest := _copied(source / inside, target / inside, known.get(inside.as_posix()))) is not None:
            digests[inside.as_posix()] = digest
    for inside in set(files_of(target)) - wanted:
        (target / inside).unlink()
    return digests


def database_digests(folder: Path) -> dict[str, str]:
    """Return the digests of the databases in a backup, once nothing changes them any more."""
    inside = [LOG, *(path.as_posix() for path in files_of(folder) if path.suffix == ".sqlite")]
    return {name: digest_of_file(folder / name) for name in inside}


def copy_backup(backup: Path, folder: Path) -> None:
    """Copy the files of a backup and its log into a new run folder, and nothing that somebody put next to them."""
    for inside in (Path(LOG), *files_of(backup)):
        (folder / inside).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy2(backup / inside, folder / inside)


def file_faults(folder: Path, manifest: BackupManifest) -> Iterator[str]:
    """Yield a sentence for each file that is missing from a backup, was changed, or was added later."""
    for name, digest in manifest.files.items():
        path = folder / name
        if not path.is_file():
            yield f"{path} is missing from the backup."
            continue
        is_database = path.suffix == ".sqlite"
        if not (manifest.is_unfinished and is_database) and digest_of_file(path) != digest:
            yield f"{path} is not what was backed up."
        # Of the log, the one who opens it says so.
        if is_database and name != LOG and (fault := _foreign_parts(path)) is not None:
            yield fault
    if manifest.is_complete:
        for inside in _added(folder, manifest.files):
            yield f"{folder / inside} was not backed up; move it to another folder."


def _foreign_parts(path: Path) -> str | None:
    try:
        require_plain(path, alone=True)
    except LogError as error:
        return str(error)
    return None


def doubts_about(folder: Path, manifest: BackupManifest) -> str | None:
    """Say what the list of a backup cannot vouch for; None if it has the digest of every file."""
    if manifest.is_complete:
        return None
    names = ", ".join(path.as_posix() for path in files_of(folder) if path.suffix == ".sqlite")
    why = (
        "it was being brought up to date when that was interrupted"
        if manifest.is_unfinished
        else "an older version of understudy wrote it"
    )
    what = f"that {names} and all other files" if names else "that all files"
    return f"It cannot vouch {what} are those that were backed up, because {why}; run understudy backup again."


def _added(folder: Path, known: Mapping[str, str]) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        is_left_out = inside.parts[0] in _DERIVED | {MANIFEST, _LOCK} or path.name.endswith(
            (".part", "-shm", "-acknowledged")
        )
        # What a database writes next to itself belongs to it as soon as there is something in it.
        is_empty_journal = path.name.endswith(_PASSING) and path.is_file() and not path.stat().st_size
        if not path.is_dir() and not is_left_out and not is_empty_journal and inside.as_posix() not in known:
            yield inside.as_posix()


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _copied(source: Path, target: Path, known: str | None) -> str | None:
    """Copy a file unless it is as it was, and return its digest; None if it is gone."""
    draft = target.with_name(f"{target.name}.part")
    try:
        if known is not None and _is_unchanged(source, target):
            return known
        # Asked before reading: what is appended meanwhile makes the file look changed the next time.
        stat = source.stat()
        with source.open("rb") as reader, draft.open("wb") as writer:
            os.fchmod(writer.fileno(), 0o600)
            shutil.copyfileobj(reader, writer, _PIECE)
            writer.flush()
            os.fsync(writer.fileno())
        os.utime(draft, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    except FileNotFoundError:
        draft.unlink(missing_ok=True)
        return None
    digest = digest_of_file(draft)
    draft.replace(target)
    return digest


def _is_unchanged(source: Path, target: Path) -> bool:
    if not target.exists():
        return False
    before, now = target.stat(), source.stat()
    return (before.st_size, before.st_mtime_ns) == (now.st_size, now.st_mtime_ns)


def _copy_database(source: Path, target: Path) -> None:
    draft = target.with_name(f"{target.name}.part")
    copy_sqlite(source, draft)
    draft.replace(target)


# Back up a run while it is served, check a backup, and put one back.
#
# A backup is itself a run folder: it can be served as it is. Its log is a file, also where the run keeps its events in
# PostgreSQL.

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
