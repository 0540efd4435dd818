"""Rehearse a run: store simulated sessions in its log, marked as synthetic."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from understudy.errors import LogError
from understudy.record import Log
from understudy.schema import Cast
from understudy.simulate import rehearse
from understudy.simulate.returning import PartOnePerson, Returning, rehearse_return
from understudy.workflow.free_paths import free_path
from understudy.workflow.longitudinal.parts import follow_up_of, invited_sessions
from understudy.workflow.runs.run_folder import Run, existing_run, only_writer


def require_unused(run: Run, log: Log) -> None:
    """Raise an error if the log of a run already holds sessions."""
    if log.count_events():
        raise LogError(
            f"{run.folder} already holds sessions; simulated and real people are never mixed, and neither are two "
            f"rehearsals. Choose another folder, such as: --out {shlex.quote(str(free_path(run.folder)))}"
        )


class Back(NamedTuple):
    """The earlier part whose simulated people come back, and how likely each of them does."""

    folder: Path
    rate: float


def rehearse_later_part(run: Run, cast: Cast, back: Back, *, seed: int) -> int:
    """Add the sessions of simulated people who come back for a later part, and return how many did."""
    earlier = existing_run(back.folder)
    follows = follow_up_of(earlier, run)
    people = [
        PartOnePerson(summary.participant_id, summary.assignment.arrival, summary.condition, summary.last_event_ms)
        for summary in invited_sessions(earlier, run)
        if summary.participant_kind == "synthetic"
    ]
    if not people:
        raise LogError(f"{back.folder} has no simulated people who completed it; rehearse the earlier part first.")
    n_came = 0
    with only_writer(run), run.open_log() as log:
        require_unused(run, log)
        for events in rehearse_return(run.script, cast, Returning(people, follows, back.rate), seed=seed):
            log.append(events)
            n_came += 1
    return n_came


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
