"""Run folders: a prepared study and its event log on disk."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from understudy.conduct import Script
from understudy.errors import MaterialsError
from understudy.prepare import Explaining, Prepared, prepare, read_prepared, write_prepared
from understudy.record import Log, Recordings, open_log
from understudy.schema import Study

EXPLANATIONS = "explanations"
"""The subfolder of a run that caches explanations by digest."""
RECORDINGS = "recordings"
"""The subfolder of a run with voice recordings, outside the served files."""

LISTED_IDS = "allowed_ids.txt"
"""The file of a run with the ids that may take part, one on each line."""


class Run(NamedTuple):
    """A prepared study with its folder and script."""

    folder: Path
    prepared: Prepared
    script: Script

    @property
    def log_path(self) -> Path:
        """The path of the event log."""
        return self.folder / "events.sqlite"

    @property
    def recordings(self) -> Recordings:
        """The voice recordings of people who agreed to be recorded."""
        return Recordings(self.folder / RECORDINGS)

    def open_log(self) -> Log:
        """Open the event log, creating it if needed."""
        # SQLite gives the files next to it the same permissions.
        self.log_path.touch(mode=0o600, exist_ok=True)
        return open_log(self.log_path)


def new_run(
    study: Study, root: Path, folder: Path, *, n_workers: int | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Run:  # fmt: skip
    """Prepare a checked study in a folder, unless it holds events of another version.

    Explanations are computed by n_workers processes (one per core if None) and cached in the folder.
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
    if (folder / "study.json").exists() and (folder / "events.sqlite").exists():
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
    return Explaining(folder / EXPLANATIONS, n_workers or os.cpu_count() or 1, on_progress)


def written_run(prepared: Prepared, folder: Path) -> Run:
    """Write a prepared study into a folder."""
    write_prepared(prepared, folder)
    return _run(folder, prepared)


def existing_run(folder: Path) -> Run:
    """Open a folder that `understudy prepare` or `understudy rehearse` created."""
    return _run(folder, read_prepared(folder))


def _run(folder: Path, prepared: Prepared) -> Run:
    return Run(folder, prepared, Script(prepared.study, prepared.materials, prepared.key, prepared.files))
