"""A run folder: its study, log, tables and kept report, and what is said about it.

This is not part of `reporting`, because a server looks for kept reports and must not load statistics.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from pydantic import JsonValue

from understudy.conduct import Script, headcount, session_status
from understudy.conduct.copies import copies_in
from understudy.errors import LogError, MaterialsError, UnderstudyError
from understudy.estimate.software import software_versions
from understudy.prepare import Explaining, Prepared, prepare, read_prepared, write_prepared
from understudy.record import Log, Recordings, lock_folder, open_log
from understudy.record.database import require_postgres, without_password
from understudy.schema import Study, canonical_json
from understudy.serve.desk.monitor import desk_labels, is_unblinded, label_order
from understudy.serve.people import People

OnProgress: TypeAlias = Callable[["Progress"], None]
"""Is told how far a report has got."""

_PACKAGE = Path(__file__).resolve().parent.parent


class Progress(NamedTuple):
    """How far a report has got."""

    stage: str
    """What is being done, such as "Reading sessions"."""
    n_done: int
    n: int

    @property
    def words(self) -> str:
        """What is being done and how far it is, as a sentence."""
        return f"{self.stage}: {self.n_done:,} of {self.n:,}."


def report_state(log: Log, study_name: str, study_digest: str, preregistration: Path | None = None) -> str:
    """Return a digest of everything that a report follows from: the same state gives the same report."""
    parts: list[JsonValue] = [
        log.state(study_name),
        study_digest,
        # One that is not there is refused when it is read.
        preregistration.read_text(encoding="utf-8") if preregistration and preregistration.exists() else None,
        {**software_versions()},
        _sources(),
    ]
    return hashlib.sha256(canonical_json(parts).encode()).hexdigest()


def is_kept(page: Path, state: str) -> bool:
    """Tell whether a page was written in this state."""
    path = _state_path(page)
    return page.exists() and path.exists() and path.read_text(encoding="utf-8").strip() == state


def keep(page: Path, state: str) -> None:
    """Note in which state a page was written."""
    _state_path(page).write_text(f"{state}\n", encoding="utf-8")


def write_progress(path: Path, progress: Progress) -> None:
    """Write how far a report has got, for another process to read."""
    # Replaced as a whole, so that a reader never meets half a file.
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(progress), encoding="utf-8")
    draft.replace(path)


def read_progress(path: Path) -> Progress | None:
    """Read how far a report has got; None if it has not said so yet."""
    try:
        stage, n_done, n = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Progress(str(stage), int(n_done), int(n))


def _state_path(page: Path) -> Path:
    return page.with_suffix(".state")


def _sources() -> int:
    """Return when this package's code last changed, since a version in development keeps its number."""
    return max(path.stat().st_mtime_ns for path in _PACKAGE.rglob("*.py"))


# Run folders: a prepared study and its event log on disk.

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


# Blinded studies: no report and no archive of people before somebody has asked for the names of conditions.


def require_unblinded(run: Run) -> None:
    """Raise an error where the plan keeps outcomes closed and nobody has asked for them with a reason yet."""
    study = run.script.study
    if not study.plan.blinded:
        return
    with run.open_log() as log:
        has_people = any(summary.participant_kind == "person" for summary in log.summaries(study.name))
        if has_people and not is_unblinded(log.steering(study.name)):
            raise UnderstudyError(
                f"{study.name} is blinded, and its outcomes are closed. To open them, say why, which the log keeps: "
                f'understudy monitor {shlex.quote(str(run.folder))} --unblind "..."'
            )


# The counts of a run by condition, separate for simulated and real people.


class ConditionStatus(NamedTuple):
    """One condition's counts for one kind of participant."""

    condition: str
    kind: Literal["person", "synthetic"]
    quota: int
    n_completed: int
    """Completed and not excluded."""
    n_active: int
    n_excluded: int
    n_left: int
    """Declined, screened out, withdrew or left silently."""


def status_of(run: Run) -> tuple[ConditionStatus, ...]:
    """Return the counts of a run, from the log's summaries."""
    study = run.script.study
    with run.open_log() as log:
        sessions = list(log.summaries(study.name))
    rules = {exclusion.exclusion_id for exclusion in study.exclusions}
    kinds = sorted({session.participant_kind for session in sessions}) or ["person"]
    rows = []
    for kind, cell in product(kinds, study.cells):
        chosen = [
            session for session in sessions if session.condition == cell.name and session.participant_kind == kind
        ]
        counted = headcount(session_status(session.outcome, session.excluded_by, rules) for session in chosen)
        rows.append(
            ConditionStatus(
                condition=cell.name,
                kind=kind,
                quota=study.quota_of(cell),
                n_completed=counted.at["completed"],
                n_active=counted.at["active"],
                n_excluded=counted.n_excluded,
                n_left=counted.n_gone,
            )
        )
    return tuple(rows)


def shown_status(run: Run) -> tuple[ConditionStatus, ...]:
    """Return the counts of a run as anybody may see them: in a blinded study, conditions have the letters of the desk."""
    rows, study = status_of(run), run.script.study
    with run.open_log() as log:
        labels = desk_labels(study, log.steering(study.name), has_people=any(row.kind == "person" for row in rows))
    told = [row._replace(condition=labels[row.condition]) for row in rows]
    if labels == {name: name for name in labels}:
        return tuple(told)
    # In the order of letters: that of the file would tell which is which.
    return tuple(sorted(told, key=lambda row: (row.kind, label_order(row.condition))))


def is_blind(run: Run) -> bool:
    """Return whether nothing may tell conditions apart: in a blinded study, or in a sequential one with looks to come."""
    study = run.script.study
    if study.plan.blinded:
        with run.open_log() as log:
            if not is_unblinded(log.steering(study.name)):
                return True
    sequential = study.plan.sequential
    if sequential is None:
        return False
    return sequential.is_blind(sum(row.n_completed for row in status_of(run) if row.kind == "person"))


# What an event log has lost, in sentences for the report and for `understudy status`.


def losses_in(log: Log) -> tuple[str, ...]:
    """Return a sentence for each loss that was accepted, and one if the log is damaged now."""
    accepted = (
        f"The event log {told.replace('is damaged', 'was damaged', 1)}; the study went on with what was left."
        for told in log.accepted_losses()
    )
    damage = log.damage()
    unreadable = (each.sentence for each in log.unreadable())
    return (*accepted, *(() if damage is None else (f"The event log {damage.told}.",)), *unreadable)


def doubts_in(run: Run) -> Iterator[str]:
    """Yield a sentence for each loss, and one for people whose ids are kept though they have no session."""
    with run.open_log() as log:
        yield from losses_in(log)
        yield from copies_in(log.sessions(run.script.study.name, synthetic=False))
    path = run.folder / "people.sqlite"
    n_aside = People(path).n_set_aside() if path.exists() else 0
    if n_aside:
        yield (
            f"{n_aside} {'person has' if n_aside == 1 else 'people have'} an id in {path}, table set_aside, and no session: their "
            "arrival was cut short, or their session was lost. Nobody is deleted there but by an erasure."
        )
