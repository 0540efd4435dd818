"""Rehearse a run: store simulated sessions in its log, marked as synthetic."""

from collections.abc import Callable

from understudy.errors import LogError
from understudy.record import Log
from understudy.schema import Cast
from understudy.simulate import rehearse
from understudy.workflow.run_folder import Run, only_writer


def require_unused(run: Run, log: Log) -> None:
    """Raise an error if the log of a run already holds sessions."""
    if log.count_events():
        raise LogError(
            f"{run.folder} already holds sessions; simulated and real people are never mixed, and neither are two "
            "rehearsals. Choose another folder with --out."
        )


def rehearse_run(
    run: Run, cast: Cast, *, seed: int, n_people: int | None = None, on_session: Callable[[], None] = lambda: None
) -> int:
    """Add simulated sessions to an empty log and return how many people came."""
    n_sessions = 0
    # A server on the same folder would mix its participants with the simulated ones.
    with only_writer(run), run.open_log() as log:
        require_unused(run, log)
        for events in rehearse(run.script, cast, seed=seed, n_people=n_people):
            log.append(events)
            n_sessions += 1
            on_session()
    return n_sessions
