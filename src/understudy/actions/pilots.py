"""Pilots: what a run with dials suggests for the study itself."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from understudy.actions.run_folder import Run, existing_run, require_same_version, written_run
from understudy.check.model_facts import model_name
from understudy.errors import UnderstudyError
from understudy.prepare import Prepared
from understudy.record import Log
from understudy.report.planning import DialTuning, PilotQuestion, pilot_question, tuned
from understudy.schema import Event, Interacted, SessionStarted, Stage, Study, blocks_in
from understudy.schema.study import pilot_name


def tunings_of(run: Run, *, share: float, is_synthetic: bool) -> tuple[DialTuning, ...]:
    """Return one proposal for each model of the main stages, from real or from simulated people, never from both."""
    names = _names(run)
    if not names:
        raise UnderstudyError(
            f"{run.script.study.name} has no question with live dials in its main stages, so there is nothing to tune."
        )
    questions: dict[str, list[PilotQuestion]] = defaultdict(list)
    with run.open_log() as log:
        for session in log.sessions(run.script.study.name):
            if _is_synthetic(session) is is_synthetic:
                for trial_id, events in _steps(session):
                    question = pilot_question(events) if trial_id in names else None
                    if question is not None:
                        questions[names[trial_id]].append(question)
    if not questions:
        kind = "simulated person" if is_synthetic else "person"
        hint = "" if is_synthetic else " To try it with a rehearsal, add --synthetic."
        raise UnderstudyError(f"No {kind} has turned a dial in {run.folder} yet.{hint}")
    return tuple(tuned(name, held, share=share) for name, held in sorted(questions.items()))


def _names(run: Run) -> dict[str, str]:
    """Return the trials with live dials of the main stages, and the model that each shows."""
    study, materials = run.script.study, run.prepared.materials
    main = {block.block_id for block in blocks_in(study.flow) if isinstance(block, Stage) and block.purpose == "main"}
    return {
        trial_id: model_name(trial_set.levels)
        for trial_set in materials.trial_sets
        if trial_set.block_id in main
        for trial_id in trial_set.trial_ids
        if isinstance(materials.trials[trial_id].params.get("decoder"), dict)
    }


def _is_synthetic(session: Sequence[Event]) -> bool:
    started = next((event for event in session if isinstance(event, SessionStarted)), None)
    return started is not None and started.participant_kind == "synthetic"


def _steps(session: Sequence[Event]) -> Iterator[tuple[str, list[Event]]]:
    steps: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in session:
        if isinstance(event, Interacted):
            steps[event.step, event.trial_id].append(event)
    for (_, trial_id), events in steps.items():
        yield trial_id, events


# Pilots: a run of the same study in a folder inside its own, apart from the main data, whose people are remembered.

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
