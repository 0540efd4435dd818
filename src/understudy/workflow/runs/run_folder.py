"""Run folders: a prepared study and its event log on disk."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from understudy.conduct import Script
from understudy.errors import LogError, MaterialsError
from understudy.prepare import Explaining, Prepared, prepare, read_prepared, write_prepared
from understudy.record import Log, Recordings, lock_folder, open_log
from understudy.record.connect import require_postgres, without_password
from understudy.schema import Study

EXPLANATIONS = "explanations"
"""The subfolder of a run that caches explanations by digest."""
RECORDINGS = "recordings"
"""The subfolder of a run with voice recordings, outside the served files."""

LISTED_IDS = "allowed_ids.txt"
"""The file of a run with the ids that may take part, one on each line."""

ACKNOWLEDGED = "acknowledged"
"""The file of a run in which this machine remembers what a database has acknowledged, so that a loss there is noticed."""

LOSS_TOLD = "loss.told"
"""The file of a run with the loss of which researchers were told last, so that a server that starts again is quiet."""

DATABASE = "database.url"
"""The file of a run with the address of the database that holds its events, where that is not `events.sqlite`."""


class Run(NamedTuple):
    """A prepared study with its folder and script."""

    folder: Path
    prepared: Prepared
    script: Script

    @property
    def log_path(self) -> Path:
        """The path of the event log, unless a database holds it."""
        return self.folder / "events.sqlite"

    @property
    def recordings(self) -> Recordings:
        """The voice recordings of people who agreed to be recorded."""
        return Recordings(self.folder / RECORDINGS)

    def open_log(self) -> Log:
        """Open the event log, creating it if needed."""
        url = database_of(self.folder)
        if url is not None:
            return open_log(url, acknowledged=self.folder / ACKNOWLEDGED)
        # SQLite gives the files next to it the same permissions.
        self.log_path.touch(mode=0o600, exist_ok=True)
        return open_log(self.log_path)


def database_of(folder: Path) -> str | None:
    """Return the URL of the database that holds the events of a run; None if a file in the folder does."""
    try:
        return (folder / DATABASE).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def use_database(run: Run, url: str) -> None:
    """Keep the events of a run in a PostgreSQL database from now on, and refuse to change the place of stored ones."""
    known = database_of(run.folder)
    if known == url:
        return
    require_postgres(url)
    if known is not None:
        raise LogError(
            f"{run.folder} keeps its events in {without_password(known)}, and you gave another address; leave out --database to go on "
            f"there. If the same database has a new address, write it into {run.folder / DATABASE}."
        )
    if run.log_path.exists():
        name = run.script.study.name
        with lock_folder(run.folder), open_log(run.log_path) as log:
            if any(log.summaries(name)) or log.tombstones(name) or log.registrations(name):
                raise LogError(
                    f"{run.folder} has sessions or registrations in {run.log_path.name} already, and a run has all of "
                    "them in one place; leave out --database, or prepare the study into another folder."
                )
    # A URL that does not work is not worth remembering.
    open_log(url).close()
    # It may hold a password.
    with os.fdopen(os.open(run.folder / DATABASE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
        stream.write(url + "\n")


@contextmanager
def only_writer(run: Run) -> Iterator[None]:
    """Lock a run for one process that adds sessions, or raise LogError while servers may share it."""
    if database_of(run.folder) is not None:
        raise LogError(
            f"{run.folder} keeps its events in a database, for real people on one or more servers; use another folder "
            "for a rehearsal or for collected results."
        )
    with lock_folder(run.folder):
        yield


def new_run(
    study: Study, root: Path, folder: Path, *, n_workers: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Run:  # fmt: skip
    """Prepare a checked study in a folder, unless it holds events of another version.

    Explanations are computed by n_workers processes (one for each usable core if None) and cached in the folder.
    """
    require_same_version(study, folder)
    prepared = prepare(study, root, explaining_into(folder, n_workers, on_progress))
    return written_run(prepared, folder)


def require_same_version(study: Study, folder: Path) -> None:
    """Refuse a folder that holds events of another version of the study, and a file in its place."""
    in_the_way = next((path for path in (folder, *folder.parents) if path.exists() and not path.is_dir()), None)
    if in_the_way is not None:
        raise MaterialsError(
            f"{in_the_way} is a file, and a run needs a folder. Choose the name of a folder, or of none yet, with --out."
        )
    has_log = any((folder / name).exists() for name in ("events.sqlite", DATABASE))
    if (folder / "study.json").exists() and has_log:
        # Preparing over a run with events would orphan them.
        prepared_study = read_prepared(folder).study
        if prepared_study.digest != study.digest:
            raise MaterialsError(
                f"{folder} holds events of another version of {prepared_study.name!r} ({prepared_study.digest[:12]}). "
                "Choose another folder, so that the two are never mixed."
            )


def explaining_into(
    folder: Path, n_workers: int | None = None, on_progress: Callable[[int], None] = lambda _: None
) -> Explaining:
    """Return how explanations are computed for a folder, which keeps them."""
    return Explaining(folder / EXPLANATIONS, n_workers, on_progress)


def written_run(prepared: Prepared, folder: Path) -> Run:
    """Write a prepared study into a folder."""
    write_prepared(prepared, folder)
    return _run(folder, prepared)


def existing_run(folder: Path) -> Run:
    """Open a folder that `understudy prepare` or `understudy rehearse` created."""
    return _run(folder, read_prepared(folder))


def _run(folder: Path, prepared: Prepared) -> Run:
    return Run(folder, prepared, Script(prepared.study, prepared.materials, prepared.key, prepared.files))
