"""The secret that a run's codes, links and pseudonyms are made with, so that every command uses that of its server."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.schema import Record
from understudy.serve.tokens import Keyring
from understudy.workflow.private_files import read_private, write_private
from understudy.workflow.serving import secrets_from

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
