"""Which files of a run a backup holds, and how they are copied: only what changed, and each whole or not at all."""

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from understudy.errors import LogError
from understudy.record import copy_sqlite
from understudy.record.log_copy import AS_FOUND, require_plain
from understudy.workflow.backups.manifest import LOG, MANIFEST, BackupManifest
from understudy.workflow.backups.restored import RESTORED
from understudy.workflow.previews.kept_walks import WALKS
from understudy.workflow.runs.run_folder import ACKNOWLEDGED, DATABASE, EXPLANATIONS, LOSS_TOLD

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
