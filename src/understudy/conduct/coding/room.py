"""Coding room: everything that is coded in one study, kept up to date with what is new in the log."""

from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from understudy.conduct.coding.agreement import is_disputed
from understudy.conduct.coding.code_book import CodeBook, book_of
from understudy.conduct.coding.queue import n_left, queue_for
from understudy.conduct.coding.units import Unit, is_coded, units_of
from understudy.conduct.script import Script
from understudy.measures.codes import UnitCodes, fold_codes
from understudy.record import Log, SessionSummary
from understudy.schema import CodesGiven, CodesSettled
from understudy.schema.annotation import CodingPhase, CodingScheme


class SchemeState(NamedTuple):
    """A scheme as it is now: its code book, its texts, and what was said about them in the current phase."""

    scheme: CodingScheme
    book: CodeBook
    units: tuple[Unit, ...]
    codes: dict[str, UnitCodes]
    seed: int
    labels: dict[str, UnitCodes]
    """What was said in the open phase; the same as `codes` while it lasts."""

    def unit(self, unit_id: str) -> Unit | None:
        """Return a text by its mark."""
        return next((unit for unit in self.units if unit.unit_id == unit_id), None)

    def said(self, unit: Unit) -> UnitCodes:
        """Return what was said about a text."""
        return self.codes.get(unit.unit_id, UnitCodes())

    def queue(self, annotator: str) -> tuple[Unit, ...]:
        """Return the texts of an annotator, in their own order."""
        return queue_for(annotator, self.units, self.codes, seed=self.seed)

    def n_left(self, annotator: str) -> int:
        """Return how many texts an annotator may still code."""
        return n_left(annotator, self.queue(annotator), self.codes)

    @property
    def progress(self) -> dict[str, int]:
        """Annotator -> how many texts they coded."""
        return dict(sorted(Counter(name for unit in self.units for name in self.said(unit).given).items()))

    @property
    def n_complete(self) -> int:
        """How many texts have all their annotators."""
        return sum(self.said(unit).is_complete for unit in self.units)

    @property
    def disputed(self) -> tuple[Unit, ...]:
        """The texts about which annotators disagree, decided or not."""
        return tuple(unit for unit in self.units if is_disputed(self.scheme, self.said(unit)))

    @property
    def n_open_disputes(self) -> int:
        """How many disagreements wait for a decision."""
        return sum(self.said(unit).settled is None for unit in self.disputed)


class CodingRoom:
    """The texts of a study's coding schemes and what annotators said about them. Threads may share it."""

    def __init__(self, log: Log, script: Script) -> None:
        self._log, self._script, self._study = log, script, script.study
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        self._position = self._desk_position = self._n_erased = 0
        self._units: dict[str, dict[str, tuple[Unit, ...]]] = {}
        """Session -> scheme -> its texts; sessions that are not coded are left out."""
        self._codes: dict[tuple[str, CodingPhase], dict[str, UnitCodes]] = {}

    def state(self, scheme: CodingScheme) -> SchemeState:
        """Return a scheme as the log has it now."""
        with self._lock:
            self._refresh()
            book = book_of(scheme, self._log.book_changes(self._study.name))
            units = tuple(unit for held in self._units.values() for unit in held.get(scheme.scheme_id, ()))
            codes, labels = (self._known(scheme.scheme_id, phase, units) for phase in (book.phase, "open"))
        return SchemeState(scheme, book, units, codes, self._study.seed, labels)

    def _known(self, scheme_id: str, phase: CodingPhase, units: tuple[Unit, ...]) -> dict[str, UnitCodes]:
        stored = self._codes.get((scheme_id, phase), {})
        return {unit.unit_id: stored[unit.unit_id] for unit in units if unit.unit_id in stored}

    def _refresh(self) -> None:
        changes = self._log.changes(self._study.name, self._position)
        if changes.n_erased != self._n_erased:
            # Whose texts were erased must be gone at once, and that is rare: read everything again.
            self._forget()
            changes = self._log.changes(self._study.name, 0)
        for summary in changes.summaries:
            self._meet(summary)
        self._position, self._n_erased = changes.position, changes.n_erased
        self._desk_position, events = self._log.desk_events(self._study.name, self._desk_position)
        for event in events:
            if isinstance(event, CodesGiven):
                fold_codes(self._codes.setdefault((event.scheme_id, event.phase), {}), event)
            elif isinstance(event, CodesSettled):
                fold_codes(self._codes.setdefault((event.scheme_id, "closed"), {}), event)

    def _meet(self, summary: SessionSummary) -> None:
        session_id = summary.session_id
        is_same_study = summary.study_digest == self._script.digest
        if not is_same_study or not is_coded(self._study, summary.outcome, summary.excluded_by):
            self._units.pop(session_id, None)
        elif session_id not in self._units:
            events = self._log.session(session_id)
            self._units[session_id] = {
                scheme.scheme_id: units_of(self._script, scheme, events) for scheme in self._study.annotation
            }


class Author(NamedTuple):
    """Who codes, and what they can see besides."""

    name: str
    is_blind: bool
    is_synthetic: bool = False


class Given(NamedTuple):
    """What an annotator says about a text."""

    codes: tuple[str, ...] | None
    note: str = ""


def given_event(state: SchemeState, unit: Unit, author: Author, given: Given) -> Callable[[int, int], CodesGiven]:
    """Return how the event of a decision is made, once its number and its time are known."""
    revision = state.said(unit).n_revisions.get(author.name, 0) + 1

    def numbered(seq: int, at_ms: int) -> CodesGiven:
        return CodesGiven(
            session_id=unit.session_id, seq=seq, at_ms=at_ms, scheme_id=state.scheme.scheme_id, unit_id=unit.unit_id,
            content_digest=unit.content_digest, annotator=author.name,
            annotator_kind="synthetic" if author.is_synthetic else "person", is_blind=author.is_blind,
            phase=state.book.phase, codes=given.codes, note=given.note, revision=revision, n_wanted=unit.n_wanted,
            n_units=unit.n_units,
        )  # fmt: skip

    return numbered


def code_fault(state: SchemeState, codes: tuple[str, ...] | None) -> str | None:
    """Return what is wrong with codes, in one sentence; None if they can be given."""
    if codes is None:
        return None
    if len(set(codes)) != len(codes) or any(not code.strip() or len(code) > 80 for code in codes):
        return "Codes are different texts of 1 to 80 characters."
    if state.book.phase == "open":
        return None if codes else "Write at least one label, or leave the text for later."
    if state.scheme.choose == "one" and len(codes) != 1:
        return f"A text gets exactly one code here, and {len(codes)} were given."
    known = [code.code_id for code in state.book.codes]
    unknown = next((code for code in codes if code not in known), None)
    return None if unknown is None else f"{unknown!r} is not in the code book. Choose from: {', '.join(known)}."
