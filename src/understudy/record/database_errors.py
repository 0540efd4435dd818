"""Turn database errors into one sentence that a researcher can act on."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from understudy.errors import LogError
from understudy.record.acknowledged import Acknowledged
from understudy.record.connect import Database

_LOCKED = "is locked by another process; close every other program that writes to it and try again"
_FULL = "cannot grow: the disk is full; free some space and send the events again, nothing acknowledged was lost"
_DAMAGED = "is damaged; restore it from a backup, or save what is left with SQLite's '.recover' command"
_DAMAGES = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_READ_ONLY = "cannot be written; check the permissions of the file and of its folder, both must be writable"

_SQLITE = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_CANTOPEN": "cannot be opened; check that the path is right and that its folder may be written to",
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR": "cannot be read or written; the disk reports an error, so check its health and its free space",
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_NOTADB": "is not a database; give the path of an event log, or of a file that does not exist yet",
    "SQLITE_READONLY": _READ_ONLY,
}
_CONNECTING = {
    "password authentication failed": "refuses the name or the password; correct them in the URL",
    "no password supplied": "asks for a password; write it into the URL, name:password@host, or into ~/.pgpass",
    "does not exist": "cannot be opened; correct the name in the URL, or create the database or role first",
    "resolve host": "has a host that cannot be found; correct the name in the URL",
    "translate host": "has a host that cannot be found; correct the name in the URL",
}
"""Parts of what the driver says when no connection comes about, and what that means."""
_POSTGRES = {
    "42501": "may not be written by this role; grant it the right to create and fill tables",
    "53100": _FULL,
    "53300": "has no connection left; raise max_connections or close other programs",
    "55P03": _LOCKED,
    "57P": "is shutting down or starting up; try again when the server is ready",
}


@contextmanager
def readable_errors(database: Database) -> Iterator[None]:
    """Raise LogError with one plain sentence instead of the database's own error."""
    try:
        yield
    except SQLAlchemyError as error:
        raise LogError(
            f"The event log {database.label} {_complaint(error)}.{_at_stake(error, database.acknowledged)}"
        ) from error


def _at_stake(error: SQLAlchemyError, acknowledged: Acknowledged | None) -> str:
    """Say how many sessions a file that cannot be read may have lost."""
    name = str(getattr(error.orig if isinstance(error, DBAPIError) else error, "sqlite_errorname", ""))
    if acknowledged is None or not name.startswith(_DAMAGES):
        return ""
    n_sessions = sum(line.n_events is not None for line in acknowledged.reached())
    return f" It had events of {n_sessions} session{'' if n_sessions == 1 else 's'}; all of them may be affected."


def _complaint(error: SQLAlchemyError) -> str:
    origin = error.orig if isinstance(error, DBAPIError) else error
    name = str(getattr(origin, "sqlite_errorname", ""))
    if name:
        # Extended codes such as SQLITE_IOERR_WRITE share the sentence of their primary code.
        known = _SQLITE.get("_".join(name.split("_")[:2]))
        return known or f"failed with {name}: {_first_line(origin)}"
    if hasattr(origin, "sqlstate"):
        state = getattr(origin, "sqlstate", None)
        if state is None:
            return _connecting_complaint(_reason_of(origin))
        for start, complaint in _POSTGRES.items():
            if str(state).startswith(start):
                return complaint
    return f"failed: {_first_line(origin)}"


def _connecting_complaint(said: str) -> str:
    for part, complaint in _CONNECTING.items():
        if part in said:
            return f"{complaint} ({said})"
    return f"cannot be reached; check that its URL is right and its server runs ({said})"


def _reason_of(error: BaseException | None) -> str:
    """Return why no connection came about, without the address, which the driver repeats for each attempt."""
    lines = [line for line in str(error).splitlines() if "failed" in line] or [_first_line(error)]
    return lines[-1].rpartition("failed:")[2].strip().removeprefix("FATAL:").strip().rstrip(".")


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
