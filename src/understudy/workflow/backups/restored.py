"""Runs that were restored from a backup: payments ordered after it was made are missing from their ledger."""

from datetime import UTC, datetime
from pathlib import Path

from understudy.conduct.pay_ledger import PATIENCE_MS
from understudy.errors import UnderstudyError
from understudy.schema import Record
from understudy.workflow.backups.manifest import MANIFEST
from understudy.workflow.private_files import read_private, write_private

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
