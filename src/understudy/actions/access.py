"""Access to a run: files that only their owner may read, secrets, and the accounts of researchers."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from understudy.actions.run_folder import Run, database_of
from understudy.actions.serve import secrets_from
from understudy.errors import UnderstudyError
from understudy.record import Desk, desk_in
from understudy.schema import Record
from understudy.serve.access import Keyring

Remembered = TypeVar("Remembered", bound=Record)


def read_private(path: Path, kind: type[Remembered], *, damaged: str) -> Remembered | None:
    """Read a record; None before it was written. `damaged` says what the file should hold, and what to do."""
    try:
        return kind.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        raise UnderstudyError(f"{path} {damaged}") from None


def write_private(path: Path, text: str) -> None:
    """Write a file; a crash leaves the old one or the new one, never half of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)
    draft.replace(path)


# Desks of runs: where the accounts of researchers are, and how they move from a file into a shared database.

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


# The secret that a run's codes, links and pseudonyms are made with, so that every command uses that of its server.

SECRET = "serve.secret"  # noqa: S105 - the name of a file, not a secret
_USED = "secret-used.json"
_VARIABLE = "UNDERSTUDY_SECRET"


class SecretUsed(Record):
    """Which secret a run uses, without telling it."""

    fingerprint: str
    path: str = ""
    """The file that holds it; empty where it came from the environment."""
    is_sent_out: bool = False
    """Whether codes or links made with it were given to a recruiter or to people."""


def secret_path(folder: Path, others: Iterable[Path] = ()) -> Path:
    """Return the file with the secret of a run: the one it was used with, its own, or that of its earlier part."""
    used = _used(folder)
    known = [Path(used.path)] if used is not None and used.path else []
    found = (path for path in (*known, folder / SECRET, *(other / SECRET for other in others)) if path.is_file())
    return next(found, folder / SECRET)


def keyring_of(folder: Path, environment: Mapping[str, str], secret_file: Path | None = None) -> Keyring:
    """Return the keyring that the server of a run has, or raise an error if the secret at hand is another one."""
    path, used = secret_file or secret_path(folder), _used(folder)
    if used is not None and not path.is_file() and not environment.get(_VARIABLE):
        # A new secret would be another one than the server's.
        raise UnderstudyError(f"{folder} needs the secret of its server. {_advice(used)}")
    keyring = Keyring(secrets_from(environment, path).secret)
    if used is not None and keyring.fingerprint != used.fingerprint:
        source = _VARIABLE if environment.get(_VARIABLE) else str(path)
        raise UnderstudyError(
            f"The server of {folder} has another secret than {source}, so codes and links made with it would not work there. "
            f"{_advice(used)}"
        )
    return keyring


def use_secret(folders: Sequence[Path], keyring: Keyring, path: Path, environment: Mapping[str, str]) -> None:
    """Note the secret that a server uses, or raise an error if codes or links of a run were sent out under another."""
    for folder in folders:
        used = _used(folder)
        if used is not None and used.is_sent_out and used.fingerprint != keyring.fingerprint:
            raise UnderstudyError(
                f"{folder}: completion codes or links were sent out under another secret, and would not work on this server. "
                f"{_advice(used)} Studies with different secrets need a server each. If nobody has those codes and links, delete "
                f"{folder / _USED}."
            )
    for folder in folders:
        _note(folder, keyring, path, environment)


def sent_out(folder: Path, keyring: Keyring, environment: Mapping[str, str], secret_file: Path | None = None) -> None:
    """Note that codes or links were given away, so that the run is never served under another secret."""
    _note(folder, keyring, secret_file or secret_path(folder), environment, is_sent_out=True)


def _note(
    folder: Path, keyring: Keyring, path: Path, environment: Mapping[str, str], *, is_sent_out: bool = False
) -> None:
    used = _used(folder)
    was_sent_out = used is not None and used.is_sent_out
    noted = SecretUsed(
        fingerprint=keyring.fingerprint,
        path="" if environment.get(_VARIABLE) else str(path.resolve()),
        is_sent_out=is_sent_out or was_sent_out,
    )
    if noted != used:
        write_private(folder / _USED, noted.model_dump_json())


def _used(folder: Path) -> SecretUsed | None:
    damaged = "does not say which secret the run uses; delete it and serve the run again."
    return read_private(folder / _USED, SecretUsed, damaged=damaged)


def _advice(used: SecretUsed) -> str:
    if not used.path:
        return f"Set {_VARIABLE} to the secret that the server has in its environment."
    return f"Give its file: --secret-file {used.path}"
