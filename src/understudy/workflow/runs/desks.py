"""Desks of runs: where the accounts of researchers are, and how they move from a file into a shared database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from understudy.record import Desk, desk_in
from understudy.workflow.runs.run_folder import Run, database_of

RESEARCHERS = "researchers.sqlite"
"""The file of a run with the accounts of researchers; with several runs, that of the folder named first counts."""


@contextmanager
def opened_desk(run: Run) -> Iterator[Desk]:
    """Yield the desk of a run: in the database of its events, if it has one, and in a file of its folder otherwise."""
    if database_of(run.folder) is None:
        yield desk_in(run.folder / RESEARCHERS)
        return
    with run.open_log() as log:
        yield log.desk()


def moved_accounts(folder: Path, shared: Desk) -> str | None:
    """Move the accounts in a run folder into the database that its events are in; return what to tell about it.

    Accounts move only into a database without any. Later, a file is an old copy: it must not bring back somebody who
    was removed, nor an old password.
    """
    path = folder / RESEARCHERS
    if not path.exists():
        return None
    with desk_in(path).reading() as rows:
        found = rows.accounts()
    with shared.writing() as rows:
        known = rows.accounts()
        for account in found.values() if not known else ():
            rows.add(account)
    if not known:
        path.unlink()
        return (
            f"The accounts in {path} are now in the database, for all machines: {', '.join(found)}." if found else None
        )
    unknown = ", ".join(name for name in found if name not in known)
    if not unknown:
        return None
    return (
        f"{path} has accounts that the database does not have ({unknown}), and they are not used; add those people by "
        "understudy researchers add, or delete the file."
    )


def copy_accounts(run: Run, target: Path) -> None:
    """Write the accounts of a run whose events are in a database into the file of a copy, without any sign-ins."""
    if database_of(run.folder) is None:
        return
    with opened_desk(run) as desk, desk.reading() as rows:
        found = rows.accounts()
    path = target / RESEARCHERS
    path.unlink(missing_ok=True)
    if found:
        with desk_in(path).writing() as copied:
            for account in found.values():
                copied.add(account)
