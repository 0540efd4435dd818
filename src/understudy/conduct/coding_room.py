"""The coding room: everything that is coded in one study, and how far annotators agree."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from threading import Lock
from typing import NamedTuple

from understudy.conduct.coding import CodeBook, Unit, book_of, is_coded, n_left, queue_for, units_of
from understudy.conduct.script import Script
from understudy.measures.texts import UnitCodes, fold_codes
from understudy.record import Log, SessionSummary
from understudy.schema import CodesGiven, CodesSettled
from understudy.schema.annotation import CodingPhase, CodingScheme

# Agreement: kappa of pairs, Krippendorff's alpha and confusion of annotators, as they go.
#
# Point estimates only, in plain Python, because the server of participants loads no statistics; the report adds intervals
# from `analyses`, and tests hold both, and R, to the same numbers.

Labels = Mapping[str, str]
"""Annotator -> what they say about one text."""


class PairTable(NamedTuple):
    """How two annotators labelled the texts that both coded."""

    first: str
    second: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """One row for each label of the first annotator, one column for each of the second."""

    @property
    def n(self) -> int:
        """Texts that both coded."""
        return sum(map(sum, self.counts))

    @property
    def n_same(self) -> int:
        """Texts with the same label."""
        return sum(row[place] for place, row in enumerate(self.counts))

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa (1960); None if there is nothing to compare or only one label is in use."""
        n = self.n
        columns = zip(*self.counts, strict=True)
        chance = sum(sum(row) * sum(column) for row, column in zip(self.counts, columns, strict=True))
        if n == 0 or chance == n * n:
            return None
        by_chance: float = chance / (n * n)
        kappa: float = (self.n_same / n - by_chance) / (1 - by_chance)
        return kappa


class AgreementTable(NamedTuple):
    """Agreement about one thing: the codes, their groups, or whether a text has one code."""

    about: str
    """Empty for the codes themselves, `groups` for their groups, otherwise the code."""
    alpha: float | None
    n_texts: int
    """Texts that at least two people coded."""
    pairs: tuple[PairTable, ...]


def agreement_tables(
    scheme: CodingScheme, codes: Sequence[str], units: Iterable[UnitCodes]
) -> tuple[AgreementTable, ...]:
    """Return the agreement about codes; with groups about these first, with several codes about each of them."""
    given = [{name: event.codes or () for name, event in unit.given.items()} for unit in units]
    if scheme.choose == "several":
        about = [
            (code, [{name: "yes" if code in said else "no" for name, said in unit.items()} for unit in given])
            for code in codes
        ]
        return tuple(_table(code, ("yes", "no"), labels) for code, labels in about)
    single = [{name: said[0] for name, said in unit.items() if said} for unit in given]
    tables = [_table("", tuple(codes), single)]
    if scheme.groups:
        grouped = [{name: scheme.group_of(code) for name, code in unit.items()} for unit in single]
        tables.insert(0, _table("groups", tuple(scheme.groups), grouped))
    return tuple(tables)


def _table(about: str, labels: tuple[str, ...], units: Sequence[Labels]) -> AgreementTable:
    names = sorted({name for unit in units for name in unit})
    pairs = (_pair(first, second, labels, units) for first, second in combinations(names, 2))
    n_texts = sum(len(unit) > 1 for unit in units)
    return AgreementTable(about, nominal_alpha(units), n_texts, tuple(pair for pair in pairs if pair.n))


def _pair(first: str, second: str, labels: tuple[str, ...], units: Sequence[Labels]) -> PairTable:
    both = Counter((unit[first], unit[second]) for unit in units if first in unit and second in unit)
    # Codes that left the code book may still have been given.
    used = (*labels, *sorted({label for pair in both for label in pair} - set(labels)))
    return PairTable(first, second, used, tuple(tuple(both[row, column] for column in used) for row in used))


def nominal_alpha(units: Iterable[Labels]) -> float | None:
    """Return Krippendorff's alpha for labels without an order (Krippendorff 2011); None where it cannot be computed.

    >>> round(nominal_alpha([{"a": "x", "b": "x"}, {"a": "y", "b": "y"}, {"a": "x", "b": "y"}, {"a": "y", "b": "y"}]), 4)
    0.5333
    """
    totals: Counter[str] = Counter()
    disagreements = 0.0
    for unit in units:
        counts = Counter(unit.values())
        m = counts.total()
        if m < 2:
            continue
        totals.update(counts)
        # Each pair of labels of a text counts 1 / (m - 1), so that a text counts as often as it has labels.
        disagreements += (m**2 - sum(count**2 for count in counts.values())) / (m - 1)
    n = totals.total()
    expected = n**2 - sum(count**2 for count in totals.values())
    return 1 - (n - 1) * disagreements / expected if expected else None


def is_disputed(scheme: CodingScheme, unit: UnitCodes) -> bool:
    """Tell whether annotators disagree about a text in a way that needs a decision; codes of one group agree."""
    said = {tuple(sorted(map(scheme.group_of, event.codes or ()))) for event in unit.given.values()}
    return len(said) > 1


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
