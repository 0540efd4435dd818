"""Connects a later part of a longitudinal study with the log that holds its earlier one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from understudy.errors import UnderstudyError
from understudy.record import Log, SessionSummary
from understudy.schema import Study
from understudy.serve import ServedStudy
from understudy.workflow.runs.run_folder import existing_run


class EarlierRun(NamedTuple):
    """An earlier part: its study, and the log that holds its sessions."""

    study: Study
    log: Log

    def session_of(self, participant_id: str) -> SessionSummary | None:
        """Return somebody's session."""
        return self.log.summary_of(self.study.name, participant_id)


@contextmanager
def opened_run(folder: Path) -> Iterator[EarlierRun]:
    """Open an earlier part that another server serves, or none any more."""
    run = existing_run(folder)
    with run.open_log() as log:
        yield EarlierRun(run.script.study, log)


def with_earlier_parts(studies: Sequence[ServedStudy], named: Sequence[EarlierRun]) -> list[ServedStudy]:
    """Return the studies, each later part with a way to look people up in its earlier one."""
    known = [*named, *(EarlierRun(served.script.study, served.log) for served in studies)]
    return [replace(served, earlier_part=_lookup(served.script.study, known)) for served in studies]


def _lookup(study: Study, known: Sequence[EarlierRun]) -> Callable[[str], SessionSummary | None] | None:
    follows = study.follows
    if follows is None:
        return None
    earlier = next((run for run in known if run.study.name == follows.study), None)
    if earlier is None:
        raise UnderstudyError(
            f"{study.name} follows {follows.study!r}, and only its people may come. Serve both folders, or name the run "
            "of the earlier part with --earlier-part."
        )
    require_same_conditions(earlier.study, study)
    return earlier.session_of


def require_same_conditions(earlier: Study, later: Study) -> None:
    """Raise an error if people should keep a condition that the later part does not have."""
    names = {cell.name for cell in later.cells}
    strange = [cell.name for cell in earlier.cells if cell.name not in names]
    if later.follows is not None and later.follows.keeps_condition and strange:
        raise UnderstudyError(
            f"People keep their condition, but {later.name!r} has no {', '.join(map(repr, strange))}. Give its conditions "
            "the same names, or set keeps_condition = false."
        )
