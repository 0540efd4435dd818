"""Pilots: a run of the same study in a folder inside its own, apart from the main data, whose people are remembered."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from understudy.errors import UnderstudyError
from understudy.prepare import Prepared
from understudy.record import Log
from understudy.schema import Study
from understudy.schema.study import pilot_name
from understudy.workflow.runs.run_folder import Run, existing_run, require_same_version, written_run

PILOT = "pilot"
"""The subfolder of a run with its pilot."""


def pilot_of(study: Study, places: int | None = None) -> Study:
    """Return the pilot of a study: the same pages under another name, with as many places in each condition as given."""
    changes: dict[str, object] = {
        "name": pilot_name(study.name),
        "title": f"{study.title} (pilot)",
        "pilot_of": study.name,
    }
    if places is not None:
        changes["assignment"] = study.assignment.model_copy(update={"quota": places})
        changes["conditions"] = tuple(cell.model_copy(update={"quota": None}) for cell in study.conditions)
    return study.model_copy(update=changes)


def pilot_folder(folder: Path, places: int | None = None) -> Path:
    """Return the folder of a run's pilot, which is made of what the run shows if there is none."""
    run = existing_run(folder)
    study = run.script.study
    if study.pilot_of is not None:
        raise UnderstudyError(f"{folder} is the pilot of {study.pilot_of!r} already; serve it without --pilot.")
    inside = folder / PILOT
    if (inside / "study.json").exists() and places is None:
        return inside
    wanted = pilot_of(study, places)
    require_same_version(wanted, inside)
    prepared, digest = run.prepared, wanted.digest
    written_run(
        Prepared(
            wanted,
            prepared.materials.model_copy(update={"study_digest": digest}),
            prepared.key.model_copy(update={"study_digest": digest}),
            prepared.files,
        ),
        inside,
    )
    return inside


def earlier_folders(folder: Path, named: Iterable[Path] = ()) -> tuple[Path, ...]:
    """Return the runs whose people may not come again: those that were named, and the run's own pilot."""
    own = folder / PILOT
    return (*named, *([own] if (own / "study.json").is_file() else []))


@contextmanager
def remembered_people(folders: Iterable[Path]) -> Iterator[Callable[[str], bool]]:
    """Yield a test whether a participant is in one of some runs, by the pseudonym that they have in all of them."""
    opened: list[tuple[Run, Log]] = []
    try:
        for folder in folders:
            run = existing_run(folder)
            opened.append((run, run.open_log()))

        def took_part(participant_id: str) -> bool:
            return any(log.session_of(run.script.study.name, participant_id) is not None for run, log in opened)

        yield took_part
    finally:
        for _, log in opened:
            log.close()
