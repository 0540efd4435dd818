"""A run and its codes: read from any kind of log, and written in turn with a server that may be running."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

import numpy as np

from understudy.actions.run_folder import Run
from understudy.conduct import resume
from understudy.conduct.coding import Unit
from understudy.conduct.coding_room import (
    AgreementTable,
    Author,
    CodingRoom,
    Given,
    SchemeState,
    agreement_tables,
    given_event,
)
from understudy.errors import UnderstudyError
from understudy.record import Log, lock_folder
from understudy.record.log import now_ms
from understudy.registry import create, offers
from understudy.report.coding import AgreementLine, AnnotatorLine, CodingSummary
from understudy.roles import ReadsCodes, Rng
from understudy.schema import CodesGiven, CodesSettled, Study, names_in, seed_from
from understudy.schema.annotation import CodingScheme
from understudy.schema.events import DeskEvent
from understudy.statistics.agreement import cohen_kappa

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


# Simulated annotators: they know the right code of a text and err as often as stated; for rehearsals only.

SETTLER = "synthetic-adjudicator"


class Errors(NamedTuple):
    """How simulated annotators code."""

    n_annotators: int = 2
    error_rate: float = 0.1
    """How often one of them gives another code than the right one."""
    shares: tuple[float, ...] = ()
    """How often each code of the code book is right; by default eight in ten for the first, the rest for the others."""
    seed: int = 0


def simulate_annotators(coded: CodedRun, scheme: CodingScheme, errors: Errors) -> int:
    """Code every text of simulated people, and return how many decisions were stored."""
    state = _checked(coded, scheme)
    codes = tuple(code.code_id for code in state.book.codes)
    made: list[tuple[str, Numbered]] = []
    for number in range(1, errors.n_annotators + 1):
        author = Author(f"synthetic-{number}", is_blind=True, is_synthetic=True)
        for unit in state.units:
            if author.name in state.said(unit).given or number > unit.n_wanted:
                continue
            rng = np.random.default_rng(seed_from(errors.seed, "annotator", author.name, unit.unit_id))
            right = right_codes(state, unit, errors)
            given = Given(tuple(sorted(_erring(right, codes, errors.error_rate, rng))))
            made.append((unit.session_id, given_event(state, unit, author, given)))
    coded.add(made)
    return len(made)


def settle_simulated(coded: CodedRun, scheme: CodingScheme, errors: Errors) -> int:
    """Decide every disagreement by the right code, and return how many there were."""
    state = _checked(coded, scheme)
    open_ones = [unit for unit in state.disputed if state.said(unit).settled is None]
    coded.add([(unit.session_id, _settled(unit, right_codes(state, unit, errors))) for unit in open_ones])
    return len(open_ones)


def right_codes(state: SchemeState, unit: Unit, errors: Errors) -> tuple[str, ...]:
    """Return the codes that simulated annotators hold to be right; simulated texts mean nothing, so they are drawn."""
    codes = tuple(code.code_id for code in state.book.codes)
    rng = np.random.default_rng(seed_from(errors.seed, "right", unit.unit_id))
    if state.scheme.choose == "several":
        return tuple(code for code, draw in zip(codes, rng.random(len(codes)), strict=True) if draw < 1 / 3)
    return (codes[int(rng.choice(len(codes), p=_shares(codes, errors.shares)))],)


def _erring(right: Sequence[str], codes: Sequence[str], error_rate: float, rng: Rng) -> set[str]:
    if rng.random() >= error_rate:
        return set(right)
    # An error gives one other code in the place of the right one, or takes one code away or adds one.
    other = codes[int(rng.integers(len(codes)))]
    if len(right) != 1:
        return set(right) ^ {other}
    return {str(rng.choice([code for code in codes if code != right[0]] or list(right)))}


def _shares(codes: Sequence[str], shares: Sequence[float]) -> list[float]:
    if not shares:
        return [1.0] if len(codes) == 1 else [0.8, *[0.2 / (len(codes) - 1)] * (len(codes) - 1)]
    if len(shares) != len(codes) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
        raise UnderstudyError(
            f"{len(shares)} shares are given for {len(codes)} codes ({', '.join(codes)}); give one for each, adding up to 1."
        )
    return list(shares)


def _checked(coded: CodedRun, scheme: CodingScheme) -> SchemeState:
    state = coded.state(scheme)
    if not all(unit.is_synthetic for unit in state.units):
        raise UnderstudyError(
            f"{coded.run.folder} has texts of people, which simulated annotators never code. Rehearse the study into another folder."
        )
    if not state.units:
        raise UnderstudyError(f"There are no texts to code in {coded.run.folder} yet; rehearse the study first.")
    if state.book.phase == "open":
        raise UnderstudyError(
            f"{scheme.scheme_id!r} is in its open phase; simulated annotators have no words of their own. Define its codes first."
        )
    return state


def _settled(unit: Unit, codes: tuple[str, ...]) -> Numbered:
    def numbered(seq: int, at_ms: int) -> CodesSettled:
        return CodesSettled(
            session_id=unit.session_id, seq=seq, at_ms=at_ms, scheme_id=unit.scheme.scheme_id, unit_id=unit.unit_id,
            actor=SETTLER, codes=codes, reason="Rehearsal: the code that simulated annotators hold to be right.",
        )  # fmt: skip

    return numbered


# Summary of coding: how far it is, how annotators agree with intervals, and whom the plan leaves out because of it.


def coding_summaries(run: Run) -> tuple[CodingSummary, ...]:
    """Return a summary of each coding scheme of a run; none for a study without any."""
    if not run.script.study.annotation:
        return ()
    with coded_run(run) as coded:
        return summaries_of(coded)


def summaries_of(coded: CodedRun) -> tuple[CodingSummary, ...]:
    """Return a summary of each coding scheme."""
    excluded = exclusions_by_codes(coded)
    read = {name: _schemes_of(coded.run.script.study, name) for name in excluded}
    return tuple(
        _summary(state, {name: n for name, n in excluded.items() if state.scheme.scheme_id in read[name]})
        for state in coded.states()
    )


def _schemes_of(study: Study, exclusion_id: str) -> frozenset[str]:
    """Return the schemes whose codes an exclusion reads, through the measures that its rule names."""
    rule = next(exclusion.rule for exclusion in study.exclusions if exclusion.exclusion_id == exclusion_id)
    uses = [use for use in study.measures if use.name in names_in(rule or "true")]
    coded: list[ReadsCodes] = [
        create("measures", use.ref) for use in uses if offers("measures", use.measure.name, ReadsCodes)
    ]
    return frozenset(measure.scheme_id for measure in coded)


def exclusions_by_codes(coded: CodedRun) -> dict[str, int]:
    """Return how many people each exclusion leaves out because of what annotators said."""
    script = coded.run.script
    rules = [exclusion for exclusion, _ in script.exclusion_rules["annotators"]]
    if not rules:
        return {}
    found: Counter[str | None] = Counter()
    for events in coded.log.sessions(script.study.name):
        if any(isinstance(event, CodesGiven) for event in events):
            session = resume(script, events).session
            found[session.excluded_by or script.excluded_by_codes(session.scores())] += 1
    return {rule.exclusion_id: found[rule.exclusion_id] for rule in rules}


def _summary(state: SchemeState, excluded: dict[str, int]) -> CodingSummary:
    events = [event for said in state.codes.values() for event in said.given.values()]
    facts = {event.annotator: event for event in events}
    # One code that was given with more in sight is enough: the report speaks about the annotator.
    sighted = {event.annotator for event in events if not event.is_blind}
    codes = tuple(code.code_id for code in state.book.codes)
    tables = agreement_tables(state.scheme, codes, state.codes.values()) if state.book.phase == "closed" else ()
    agreed = [state.said(unit).agreed or () for unit in state.units]
    n_disputed = len(state.disputed) if state.book.phase == "closed" else 0
    return CodingSummary(
        scheme_id=state.scheme.scheme_id,
        title=state.scheme.words,
        phase=state.book.phase,
        n_units=len(state.units),
        n_complete=state.n_complete,
        n_disputed=n_disputed,
        n_settled=n_disputed - (state.n_open_disputes if n_disputed else 0),
        annotators=tuple(
            AnnotatorLine(
                name, n_coded, is_blind=name not in sighted, is_synthetic=facts[name].annotator_kind == "synthetic"
            )
            for name, n_coded in state.progress.items()
        ),
        agreement=tuple(line for table in tables for line in _lines(table)),
        counts=tuple((code, sum(code in said for said in agreed)) for code in codes),
        excluded=tuple(excluded.items()),
    )


def _lines(table: AgreementTable) -> Iterator[AgreementLine]:
    about = {"": "codes", "groups": "decision"}.get(table.about, table.about)
    for pair in table.pairs:
        kappa = cohen_kappa(pair.counts)
        is_known = not math.isnan(kappa.kappa)
        # The normal approximation can go beyond perfect agreement, which nobody can reach.
        interval = (kappa.interval.low, min(1.0, kappa.interval.high)) if is_known else None
        yield AgreementLine(
            about=about,
            pair=f"{pair.first} and {pair.second}",
            n=pair.n,
            same=pair.n_same / pair.n,
            kappa=pair.kappa,
            interval=interval,
            alpha=table.alpha,
        )
