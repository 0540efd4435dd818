"""Large runs: thousands of sessions that the real engine conducted, made once and kept in .bench."""

import shutil
from pathlib import Path

from two_groups import two_groups
from understudy.actions.casts import default_cast
from understudy.actions.rehearse import rehearse_run
from understudy.actions.run_folder import new_run
from understudy.protocols import ready_study
from understudy.schema import Study

SEED = 1
_KEPT = Path(__file__).parents[1] / ".bench"


def reported_run(n_sessions: int) -> Path:
    """Return a run of the loan demo, whose plan has a t test, a mixed model of people and items, and a rank test."""
    study = ready_study("loan-demo")
    wide = study.assignment.model_copy(update={"quota": n_sessions})
    return _kept(study.model_copy(update={"assignment": wide}), n_sessions)


def served_run(n_sessions: int, n_trials: int) -> Path:
    """Return a run of the study that crowds take part in, with room for more."""
    return _kept(two_groups(n_items=n_trials, quota=100_000), n_sessions)


def _kept(study: Study, n_sessions: int) -> Path:
    folder = _KEPT / f"{study.name}-{study.digest[:12]}-{n_sessions}"
    is_ready = folder / "ready"
    if not is_ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        run = new_run(study, _KEPT, folder, n_workers=1)
        rehearse_run(run, default_cast(study), seed=SEED, n_people=n_sessions)
        is_ready.touch()
    return folder
