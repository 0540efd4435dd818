"""A run and its codes: read from any kind of log, and written in turn with a server that may be running."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from understudy.conduct.coding.room import CodingRoom, SchemeState
from understudy.errors import UnderstudyError
from understudy.record import Log, lock_folder
from understudy.record.log import now_ms
from understudy.schema.annotation import CodingScheme
from understudy.schema.events import DeskEvent
from understudy.workflow.runs.run_folder import Run

Numbered = Callable[[int, int], DeskEvent]
"""Makes an event, once its number in the session's desk stream and its time are known."""

_ADVICE = "stop the server, run this command again, and start the server once it is done"


class CodedRun(NamedTuple):
    """An open log with everything that is coded in it."""

    run: Run
    log: Log
    room: CodingRoom

    @property
    def schemes(self) -> tuple[CodingScheme, ...]:
        """The coding schemes of the study."""
        return self.run.script.study.annotation

    def state(self, scheme: CodingScheme) -> SchemeState:
        """Return a scheme as the log has it now."""
        return self.room.state(scheme)

    def states(self) -> tuple[SchemeState, ...]:
        """Return all schemes as the log has them now."""
        return tuple(map(self.room.state, self.schemes))

    def add(self, made: Sequence[tuple[str, Numbered]], clock: Callable[[], int] = now_ms) -> None:
        """Store what was said about sessions, all or nothing."""
        last: dict[str, int] = {}
        events: list[DeskEvent] = []
        for session_id, numbered in made:
            seq = last.get(session_id) or self.log.last_seq(session_id, "desk")
            last[session_id] = seq + 1
            events.append(numbered(seq + 1, clock()))
        self.log.append(events)


@contextmanager
def coded_run(run: Run, *, is_writing: bool = False) -> Iterator[CodedRun]:
    """Open the codes of a run; a run without coding schemes is refused, and so is writing next to a server on one file."""
    study = run.script.study
    if not study.annotation:
        raise UnderstudyError(
            f"{study.name!r} has nothing to code: its study file has no [[annotation]]. See docs/how-to/annotate.md."
        )
    with run.open_log() as log:
        # A server on the same file numbers the same events in its memory; on a database each writer asks first.
        alone = lock_folder(run.folder, _ADVICE) if is_writing and not log.is_shared else nullcontext()
        with alone:
            yield CodedRun(run, log, CodingRoom(log, run.script))


def chosen_scheme(study_schemes: Sequence[CodingScheme], name: str | None) -> CodingScheme:
    """Return the scheme of that name, or the only one."""
    known = ", ".join(scheme.scheme_id for scheme in study_schemes)
    if name is None and len(study_schemes) == 1:
        return study_schemes[0]
    if name is None:
        raise UnderstudyError(f"The study has several coding schemes; choose one with --scheme: {known}.")
    found = next((scheme for scheme in study_schemes if scheme.scheme_id == name), None)
    if found is None:
        raise UnderstudyError(f"{name!r} is not a coding scheme of this study. Choose from: {known}.")
    return found
