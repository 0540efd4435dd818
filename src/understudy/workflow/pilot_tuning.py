"""Read a pilot with dials from a run, and propose the time of the skip and the threshold for each model."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from understudy.errors import UnderstudyError
from understudy.measures.dials.tuning import DialTuning, PilotQuestion, pilot_question, tuned
from understudy.schema import Event, Interacted, SessionStarted, Stage, blocks_in
from understudy.workflow.checking.dial_cautions import model_name
from understudy.workflow.runs.run_folder import Run


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
