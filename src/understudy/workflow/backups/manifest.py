"""The list in a backup: when it was made, up to which commit it goes, and what its files must look like."""

import json
import os
from pathlib import Path

from pydantic import ValidationError

from understudy.errors import UnderstudyError
from understudy.record import Mark
from understudy.schema import Record, canonical_json, json_from_record

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
