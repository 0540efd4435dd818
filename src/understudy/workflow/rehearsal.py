"""Rehearsal into a log: simulated sessions stored like any others, marked synthetic."""

from collections.abc import Callable

from understudy.errors import LogError
from understudy.record import Log, lock_folder
from understudy.schema import Cast
from understudy.simulate import rehearse
from understudy.workflow.run_folder import Run


def require_unused(run: Run, log: Log) -> None:
    """Refuse a run whose log holds sessions already."""
    if log.count_events():
        raise LogError(
            f"{run.folder} already holds sessions; simulated and real people are never mixed, and neither are two "
            "rehearsals. Choose another folder with --out."
        )


def rehearse_run(
    run: Run, cast: Cast, *, seed: int, n_people: int | None = None, on_session: Callable[[], None] = lambda: None
) -> int:
    """Play simulated people into the run's log and return how many came; a log that has sessions is refused."""
    n_sessions = 0
    with lock_folder(run.folder), run.open_log() as log:
        require_unused(run, log)
        for events in rehearse(run.script, cast, seed=seed, n_people=n_people):
            log.append(events)
            n_sessions += 1
            on_session()
    return n_sessions
