"""Load prepared folders, secrets and the built front end for the server."""

import hashlib
import ipaddress
import json
import math
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from understudy.actions.deposits import WaitingDeposits
from understudy.actions.preview import WALKS, kept_walks
from understudy.actions.run_folder import (
    ACKNOWLEDGED,
    LISTED_IDS,
    RECORDINGS,
    Progress,
    database_of,
    existing_run,
    is_kept,
    read_progress,
    report_state,
    use_database,
)
from understudy.actions.traces import Swept, swept
from understudy.errors import MaterialsError, UnderstudyError
from understudy.record import Log, open_log
from understudy.record.copies import copies_as_found
from understudy.record.run_folder import sync_folder
from understudy.schema.simulation import PreviewWalks
from understudy.serve import ServedStudy
from understudy.serve.access import Keyring
from understudy.serve.people import People

T = TypeVar("T")
_REPORT, _PROGRESS = "report.html", "report.progress"
PACKAGE = Path(__file__).resolve().parent.parent
_SHORTEST = 32
"""Minimum length of a secret, so that it cannot be guessed."""
_SHORTEST_TOKEN = 20
_FEWEST_CHARACTERS = 8


class Secrets(NamedTuple):
    """The signing secret and the dashboard token, whether they are new, and whether a file of ours has the token."""

    secret: bytes
    admin_token: str
    is_new: bool
    is_own: bool = True


class SharedDatabase:
    """The database that the command line names, if any; studies in one database share one log."""

    def __init__(self, url: str | None = None) -> None:
        self.url = url
        self._logs: dict[str, Log] = {}

    def opened(self, url: str, folder: Path) -> Log:
        """Return the log of a database, opened once; the first folder remembers what it has acknowledged."""
        if url not in self._logs:
            self._logs[url] = open_log(url, acknowledged=folder / ACKNOWLEDGED)
        return self._logs[url]


def served_from_folder(folder: Path, database: SharedDatabase | None = None) -> ServedStudy:
    """Open a prepared folder for serving; close its log when the server has stopped."""
    run = existing_run(folder)
    name = run.script.study.name
    if database is not None and database.url is not None:
        use_database(run, database.url)
    url = database_of(folder)
    log = run.open_log() if url is None or database is None else database.opened(url, folder)
    # A crash may have come between an erasure and the removal of older copies.
    forget_copies(
        folder, name, made_before_ms=max((tombstone.erased_ms for tombstone in log.tombstones(name)), default=0)
    )
    lock = Lock()
    return ServedStudy(
        script=run.script,
        materials=run.prepared.materials,
        assets=folder / "public" / "assets",
        log=log,
        people=folder / "people.sqlite",
        recordings=folder / RECORDINGS,
        listed_ids=folder / LISTED_IDS,
        report=lambda: _one_at_a_time(lock, lambda: _output_of("report", folder, folder / _REPORT)),
        kept_report=lambda: _kept_report(folder / _REPORT, report_state(log, name, run.script.digest)),
        report_progress=lambda: _words_of(read_progress(folder / _PROGRESS)),
        export=lambda: _one_at_a_time(lock, lambda: _output_of("export", folder, folder / f"{name}.zip")),
        walks=lambda: _walks_of(folder, run.script.digest),
        deposits=WaitingDeposits(run, log) if url is None else None,
        forget_copies=lambda words: _one_at_a_time(lock, lambda: forget_copies(folder, name, words)),
    )


def secrets_from(environment: Mapping[str, str], path: Path) -> Secrets:
    """Return the secrets from the environment or from a file; a missing file is created, readable by its owner only."""
    keys: dict[str, str] = {}
    is_new = False
    variables = {"secret": "UNDERSTUDY_SECRET", "admin_token": "UNDERSTUDY_ADMIN_TOKEN"}
    if not all(environment.get(name) for name in variables.values()):
        is_new = not path.exists()
        if is_new:
            is_new = _made_secrets(path)
        keys = _read_secrets(path)
    values = {name: environment.get(variable) or keys.get(name, "") for name, variable in variables.items()}
    if len(values["secret"]) < _SHORTEST:
        raise UnderstudyError(
            f"The secret has {len(values['secret'])} characters, but needs {_SHORTEST}; set UNDERSTUDY_SECRET to a "
            "longer random text, or leave it out and let the server make one."
        )
    token = values["admin_token"]
    if len(token) < _SHORTEST_TOKEN or len(set(token)) < _FEWEST_CHARACTERS:
        raise UnderstudyError(
            f"The admin token is too easy to guess: it needs {_SHORTEST_TOKEN} characters, {_FEWEST_CHARACTERS} of them "
            "different. Set UNDERSTUDY_ADMIN_TOKEN to a longer random text, or leave it out and let the server make one."
        )
    return Secrets(values["secret"].encode(), token, is_new, not environment.get(variables["admin_token"]))


def require_one_secret(studies: Sequence[ServedStudy], secret: bytes) -> None:
    """Raise an error if people of a study came under another secret, or other processes on its database have another."""
    keyring = Keyring(secret)
    require_named_by(keyring, [served.people for served in studies if not served.log.is_shared])
    for log in {served.log for served in studies if served.log.is_shared}:
        if log.agreed("secret", keyring.fingerprint) != keyring.fingerprint:
            raise UnderstudyError(
                f"The participants in {log.label} came under another secret than that of this process, which would not "
                "know them again. Give every process the same one: copy the serve.secret of the first, or set "
                "UNDERSTUDY_SECRET."
            )


def require_named_by(keyring: Keyring, people: Iterable[Path]) -> None:
    """Raise an error if people of a folder came under another secret."""
    strange = [path for path in people if path.exists() and not People(path).are_named_by(keyring.participant_id)]
    if strange:
        raise UnderstudyError(
            f"{', '.join(map(str, strange))}: these people came under another secret. Under this one they would count "
            "as new, and their completion codes would not match. Give the one they came under, the serve.secret of the "
            "folder that was named first at that time: as --secret-file of understudy serve, or as UNDERSTUDY_SECRET. If it is "
            "lost, delete the list of people; people who come back will then start again."
        )


def completion_urls_from(environment: Mapping[str, str], study_names: list[str]) -> dict[str, str]:
    """Return the completion URL of each study, from UNDERSTUDY_COMPLETION_URL_<STUDY>."""
    urls: dict[str, str] = {}
    for name in study_names:
        address = environment.get(f"UNDERSTUDY_COMPLETION_URL_{re.sub(r'[^A-Za-z0-9]', '_', name).upper()}")
        if address is None:
            continue
        if not address.startswith(("https://", "http://")):
            raise UnderstudyError(f"The completion address of {name!r} is {address!r}; it must start with https://.")
        urls[name] = address
    return urls


def networks_from(texts: Iterable[str]) -> list[str]:
    """Return addresses and networks as they were given, or raise an error for one that is neither."""
    given = list(texts)
    for text in given:
        try:
            ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise UnderstudyError(
                f"--proxy {text!r} is not an address or a network; write 10.0.0.5 or 172.30.0.0/24."
            ) from None
    return given


def built_front_end(package: Path = PACKAGE) -> Path:
    """Return the folder of the built front end, or raise an error with the build command if it is missing or stale."""
    web = package / "_web"
    try:
        build = json.loads((web / "BUILD.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise MaterialsError(f"The front end is not built ({web} has no BUILD.json). Run: make web") from None
    sources = package.parent.parent / "frontend" / "src"
    if sources.is_dir() and build.get("frontend_digest") != digest_of_sources(sources):
        raise MaterialsError("The built front end is older than frontend/src. Run: make web")
    return web


def digest_of_sources(sources: Path) -> str:
    """Return the SHA-256 of the names and contents of all files, in order of name."""
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*"), key=lambda file: file.relative_to(sources).as_posix()):
        if path.is_file():
            digest.update(path.relative_to(sources).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _made_secrets(path: Path) -> bool:
    """Write new secrets; false if another process that starts at the same moment was faster."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    # O_EXCL and mode 600: nobody else can create or read the file first.
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(json.dumps({"secret": secrets.token_hex(32), "admin_token": secrets.token_urlsafe(24)}))
        # People are known under it from now on, and it could not be made again after a power failure.
        stream.flush()
        os.fsync(stream.fileno())
    try:
        # A link appears whole or not at all, so nobody reads half a secret.
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    sync_folder(path.parent)
    return True


def _read_secrets(path: Path) -> dict[str, str]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(stored[name]) for name in ("secret", "admin_token")}
    except (ValueError, KeyError, TypeError):
        raise UnderstudyError(
            f"{path} does not hold a secret and an admin_token as JSON; delete it and let the server make a new one."
        ) from None


def _one_at_a_time(lock: Lock, work: Callable[[], T]) -> T:
    """Run `work` under a lock: a report in progress could bring back what an erasure has just removed."""
    with lock:
        return work()


def _output_of(command: str, folder: Path, path: Path) -> bytes:
    progress = folder / _PROGRESS
    try:
        _run_command([command, str(folder), "--out", str(path), "--background", str(progress)])
    finally:
        progress.unlink(missing_ok=True)
    return path.read_bytes()


def _run_command(words: Sequence[str]) -> None:
    # A separate process: statistics would block every participant, and their libraries would fill the server's memory.
    # -P: without it, Python imports a `statistics.py` of the folder where the server was started.
    whole = [sys.executable, "-P", "-m", "understudy", *words]
    done = subprocess.run(whole, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise UnderstudyError(
            done.stderr.strip().rpartition("\n")[2] or f"understudy {words[0]} failed without a message."
        )


def _walks_of(folder: Path, study_digest: str) -> PreviewWalks:
    """Return the walks of the preview, made by another process: simulated people need libraries of statistics."""
    path = folder / WALKS
    kept = kept_walks(path, study_digest)
    if kept is None:
        _run_command(["preview", str(folder), "--walks", str(path)])
        kept = kept_walks(path, study_digest)
    if kept is None:
        raise UnderstudyError(f"{path} cannot be read after it was written; check the disk.")
    return kept


def _kept_report(page: Path, state: str) -> bytes | None:
    return page.read_bytes() if is_kept(page, state) else None


def _words_of(progress: Progress | None) -> str | None:
    return None if progress is None else progress.words


def forget_copies(
    folder: Path, study_name: str, words: Collection[str] = (), *, made_before_ms: float = math.inf
) -> Swept:
    """Remove what was made of everybody's data, and what other files of the folder say about somebody with these words."""
    for path in (
        folder / "tables",
        folder / _REPORT,
        folder / f"{study_name}.zip",
        *copies_as_found(folder / "events.sqlite"),
    ):
        if path.exists() and path.stat().st_mtime * 1000 < made_before_ms:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return swept(folder, words) if words else Swept((), ())
