"""Run folders: a prepared study and its event log, in one place on disk."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from understudy.conduct import Script
from understudy.errors import MaterialsError
from understudy.prepare import Explaining, Prepared, prepare, read_prepared, write_prepared
from understudy.record import Log, Recordings, open_log
from understudy.schema import Study
from understudy.tabulate import StoredTables, read_tables, write_tables

EXPLANATIONS = "explanations"
"""The part of a run's folder where explanations are kept by digest."""
RECORDINGS = "recordings"
"""The part of a run's folder that holds recorded voices, beside what is served and never in it."""


class Run(NamedTuple):
    """A prepared study, compiled, with the folder it lives in."""

    folder: Path
    prepared: Prepared
    script: Script

    @property
    def log_path(self) -> Path:
        """Where the events are."""
        return self.folder / "events.sqlite"

    @property
    def recordings(self) -> Recordings:
        """What was recorded of people who agreed to it."""
        return Recordings(self.folder / RECORDINGS)

    def open_log(self) -> Log:
        """Open the event log; it is made when there is none yet."""
        return open_log(self.log_path)


def new_run(
    study: Study, root: Path, folder: Path, *, n_workers: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Run:  # fmt: skip
    """Prepare a sound study into a folder; a folder with another version's events is refused.

    Explanations are computed by n_workers processes, one for each core when absent, and kept in the folder.
    """
    require_same_version(study, folder)
    prepared = prepare(study, root, explaining_into(folder, n_workers, on_progress))
    return written_run(prepared, folder)


def require_same_version(study: Study, folder: Path) -> None:
    """Refuse a folder that holds events of another version of the study."""
    if (folder / "study.json").exists() and (folder / "events.sqlite").exists():
        held = read_prepared(folder).study
        if held.digest != study.digest:
            raise MaterialsError(
                f"{folder} holds events of another version of {held.name!r} ({held.digest[:12]}). "
                "Choose another folder, so that the two are never mixed."
            )


def explaining_into(
    folder: Path, n_workers: int | None = None, on_progress: Callable[[int], None] = lambda _: None
) -> Explaining:
    """Return how explanations are computed for a folder, which keeps them."""
    return Explaining(folder / EXPLANATIONS, n_workers or os.cpu_count() or 1, on_progress)


def written_run(prepared: Prepared, folder: Path) -> Run:
    """Write a prepared study into a folder."""
    write_prepared(prepared, folder)
    return _run(folder, prepared)


def existing_run(folder: Path) -> Run:
    """Open a folder that `understudy prepare` or `understudy rehearse` made."""
    return _run(folder, read_prepared(folder))


def _run(folder: Path, prepared: Prepared) -> Run:
    return Run(folder, prepared, Script(prepared.study, prepared.materials, prepared.key, prepared.files))


def tables_of(run: Run) -> StoredTables:
    """Stream the log into the folder's tables and open them."""
    with run.open_log() as log:
        files = write_tables(run.script, log.sessions(run.script.study.name), run.folder / "tables")
    return read_tables(files)
