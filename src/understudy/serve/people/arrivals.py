"""Arrivals: who comes, and how they are counted in before their session is stored."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from understudy.conduct import Script, assign
from understudy.schema import SessionStarted
from understudy.serve.rebuild import Counted, Kind
from understudy.serve.refusals import mixing
from understudy.serve.tokens import new_session_id


class Newcomer(NamedTuple):
    """Somebody who arrives: their pseudonym, the recruiter's fields, and whether they are simulated."""

    participant_id: str
    fields: Mapping[str, str] = MappingProxyType({})
    kind: Kind = "person"
    cast: str | None = None
    condition: str | None = None
    """The condition that somebody keeps from an earlier part."""
    session_id: str | None = None
    """What their session is to be called; drawn at random by default."""


class Arrival(NamedTuple):
    """The session of somebody who arrived, and whether it is new."""

    session_id: str
    is_new: bool


class ReturningPerson(Exception):
    """Somebody has a session already, started by another process."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(session_id)


class TookPart(Exception):
    """Somebody took part in a study whose participants are not wanted here."""


class Clocks(NamedTuple):
    """The clocks of a study."""

    now_ms: Callable[[], int]
    """The time of day, by which events are stamped."""
    steady_ms: Callable[[], int]
    """A time that never jumps, by which silence is measured."""


def steady_clock(now_ms: Callable[[], int], seconds: Callable[[], float]) -> Callable[[], int]:
    """Return a clock that starts at the time of day and never jumps: people's times are checked against it."""
    began_ms, began_s = now_ms(), seconds()
    return lambda: began_ms + round((seconds() - began_s) * 1000)


class Arrivals:
    """Counts people in. Nothing here waits, so that no two of them can get the same place."""

    def __init__(self, script: Script, counted: Counted, clocks: Clocks, *, makes_synthetic: bool) -> None:
        self._script = script
        self._counted = counted
        self._clocks = clocks
        self._makes_synthetic = makes_synthetic
        self.is_blocked: Callable[[str], bool] = lambda _: False
        """Tells whether a person takes part in a study of this server whose participants are not wanted here."""

    def place_for(self, newcomer: Newcomer) -> SessionStarted | None:
        """Count a person in and return the start of their session, which still has to be stored; None if full."""
        kind = "synthetic" if self._makes_synthetic else newcomer.kind
        if self._counted.kinds - {kind}:
            raise mixing()
        # Looked up in the same moment: the person may be arriving in both studies at once.
        if self.is_blocked(newcomer.participant_id):
            raise TookPart
        ledger = self._counted.ledger
        assignment = assign(ledger, ledger.n_arrivals, newcomer.condition)
        if assignment is None:
            return None
        started = SessionStarted(
            session_id=newcomer.session_id or new_session_id(), seq=1, at_ms=self._clocks.now_ms(), study_name=self._script.study.name,
            study_digest=self._script.digest, participant_id=newcomer.participant_id,
            participant_kind=kind, cast=newcomer.cast, assignment=assignment,
        )  # fmt: skip
        ledger.take(started.model_copy(update={"at_ms": self._clocks.steady_ms()}))
        self._counted.session_ids.add(started.session_id)
        self._counted.kinds.add(kind)
        return started

    def take_back(self, started: SessionStarted) -> None:
        """Uncount somebody whose start could not be stored."""
        self._counted.ledger.erase(started.session_id)
        self._counted.session_ids.discard(started.session_id)
