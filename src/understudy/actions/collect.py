"""Collect: import result files of a static export into a run that nobody serves."""

from collections.abc import Callable, Sequence
from pathlib import Path

from understudy.actions.deposits import NOTHING_DECIDED, Collected, Decisions, Intake, imported
from understudy.actions.preregister import recorded_looks
from understudy.actions.run_folder import Run, only_writer
from understudy.actions.run_tables import tables_of
from understudy.record.log import now_ms
from understudy.serve.access import Keyring


def collect(
    run: Run,
    files: Sequence[Path],
    *,
    keyring: Callable[[], Keyring],
    clock: Callable[[], int] = now_ms,
    decisions: Decisions = NOTHING_DECIDED,
) -> Collected:
    """Import every sound session, each whole or not at all; `keyring` makes the pseudonyms of recruited people.

    A file is what somebody says happened. Where its word is not enough (a clock outside the time between export and now, a
    second deposit of one person, a copy of another one, an id that was erased) it is kept next to the log until somebody
    decides. The order of the files makes no difference.
    """
    with only_writer(run), run.open_log() as log:
        found = imported(Intake(run, log, keyring, clock()), files, decisions)
    if run.script.study.plan.sequential is not None:
        # Who belongs to a look must not depend on which files come later.
        recorded_looks(run, tables_of(run).sessions)
    return found
