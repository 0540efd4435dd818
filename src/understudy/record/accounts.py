"""The desk: accounts of researchers and who is signed in, in a file of the run folder or in a shared database.

These tables have neither a place in the chain of digests nor one in copies of the log: password hashes are nobody's
data, and a copy must not let anybody in who has signed out since.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, MetaData, Table, delete, insert, select, update

from understudy.errors import LogError, UnderstudyError
from understudy.record.database import Database, connect, connect_in_memory, reading, writing
from understudy.record.tables import key_texts, large_counts, texts

_WAIT_MS = 10_000
_metadata = MetaData()

_accounts = Table("researchers", _metadata, *key_texts("name"), *texts("role", "password_hash"))
_passes = Table("sign_ins", _metadata, *key_texts("pass_hash"), *texts("name"), *large_counts("until_ms"))
_guesses = Table("guesses", _metadata, *key_texts("source"), *large_counts("n", "until_ms"))

Transaction = Callable[[], AbstractContextManager[Connection]]


class Account(NamedTuple):
    """A researcher as stored."""

    name: str
    role: str
    password_hash: str


class DeskRows(NamedTuple):
    """Accounts and passes, as one transaction sees them."""

    connection: Connection

    def accounts(self) -> dict[str, Account]:
        """Return all accounts by name, in the order of names."""
        rows = self.connection.execute(select(_accounts).order_by(_accounts.c.name))
        return {row.name: Account(row.name, row.role, row.password_hash) for row in rows}

    def add(self, account: Account) -> None:
        """Add an account with a new name."""
        self.connection.execute(insert(_accounts), account._asdict())

    def change(self, account: Account) -> None:
        """Replace role and password hash of an account."""
        self.connection.execute(update(_accounts).where(_accounts.c.name == account.name).values(account._asdict()))

    def remove(self, name: str) -> None:
        """Delete an account."""
        self.connection.execute(delete(_accounts).where(_accounts.c.name == name))

    def enter_pass(self, pass_hash: str, name: str, until_ms: int) -> None:
        """Store a pass."""
        self.connection.execute(insert(_passes), {"pass_hash": pass_hash, "name": name, "until_ms": until_ms})

    def holder_of(self, pass_hash: str, now_ms: int) -> str | None:
        """Return the name on a pass that is still valid."""
        query = select(_passes.c.name).where(_passes.c.pass_hash == pass_hash, _passes.c.until_ms > now_ms)
        return self.connection.execute(query).scalar()

    def forget_pass(self, pass_hash: str) -> None:
        """Delete one pass."""
        self.connection.execute(delete(_passes).where(_passes.c.pass_hash == pass_hash))

    def forget_passes_of(self, name: str) -> None:
        """Delete all passes of somebody."""
        self.connection.execute(delete(_passes).where(_passes.c.name == name))

    def forget_passes_until(self, now_ms: int) -> None:
        """Delete all passes that have run out."""
        self.connection.execute(delete(_passes).where(_passes.c.until_ms <= now_ms))

    def admits_guess(self, most_from: Mapping[str, int], now_ms: int, until_ms: int) -> bool:
        """Count a guess of a password for each of its sources; false, and nothing counted, if one had too many already."""
        self.connection.execute(delete(_guesses).where(_guesses.c.until_ms <= now_ms))
        rows = self.connection.execute(select(_guesses).where(_guesses.c.source.in_(most_from)))
        counted = {row.source: row.n for row in rows}
        if any(counted.get(source, 0) >= most for source, most in most_from.items()):
            return False
        self.forget_guesses(most_from)
        new = [{"source": source, "n": counted.get(source, 0) + 1, "until_ms": until_ms} for source in most_from]
        self.connection.execute(insert(_guesses), new)
        return True

    def forget_guesses(self, sources: Iterable[str]) -> None:
        """Forget the guesses of somebody who knew the password."""
        self.connection.execute(delete(_guesses).where(_guesses.c.source.in_(list(sources))))


class Desk:
    """Where accounts and passes are stored; threads, processes and, in a shared database, machines may share it."""

    def __init__(self, read: Transaction, write: Transaction) -> None:
        """Take the two kinds of transactions, and make the tables where they are missing."""
        self._read = read
        self._write = write
        # As the only writer: two processes that make a table at the same moment would fail on PostgreSQL.
        with write() as connection:
            _metadata.create_all(connection)

    @contextmanager
    def reading(self) -> Iterator[DeskRows]:
        """Yield the rows to look at."""
        with self._read() as connection:
            yield DeskRows(connection)

    @contextmanager
    def writing(self) -> Iterator[DeskRows]:
        """Yield the rows to change, as the only one who does: what was checked still holds when it is changed."""
        with self._write() as connection:
            yield DeskRows(connection)


def shared_desk(database: Database) -> Desk:
    """Return the desk in the database of a shared log."""
    return Desk(partial(reading, database), partial(writing, database))


def desk_in(path: Path | None) -> Desk:
    """Open or create a desk in a file that only its owner can read; without a path, it lasts as long as this process."""
    if path is None:
        return shared_desk(connect_in_memory("of researchers"))
    # Created with its final permissions, so that nobody can open it in between.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    database = connect(path, wait_ms=_WAIT_MS)
    return Desk(
        partial(_in_file, path, partial(reading, database)), partial(_in_file, path, partial(writing, database))
    )


@contextmanager
def _in_file(path: Path, transaction: Transaction) -> Iterator[Connection]:
    try:
        with transaction() as connection:
            yield connection
    except LogError as error:
        reason = str(getattr(error.__cause__, "orig", error)).rstrip(".")
        raise UnderstudyError(
            f"The file of researchers {path} cannot be read or written ({reason}); check the disk and the file."
        ) from error
