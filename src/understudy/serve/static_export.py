"""Static export: assignments made in advance, as if people arrived one after the other, and their places."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from understudy.conduct import (
    BlockVisit,
    Ledger,
    Opening,
    Script,
    assign,
    current_part,
    opening_of,
    references_at,
    visits_for,
)
from understudy.conduct.script import SeenStimulus
from understudy.conduct.timing import Pacing
from understudy.errors import StudyError
from understudy.schema import Assignment, Gate, MeasureUse, Reference, SessionStarted, Stage, blocks_in, matches, wire
from understudy.schema.wire import StaticGate, StaticPlace, StaticReference, StaticVisit
from understudy.serve.live_session import opening_state, title_of, unmet_trials
from understudy.serve.public_study import PublicStudy
from understudy.serve.static_needs import Needs, Sealer, question_of_gate, tree_of_rule
from understudy.serve.wire import PLAIN, WireNames


def drawn_assignments(ledger: Ledger, n: int, *, first_arrival: int) -> list[Assignment]:
    """Make n assignments by the study's policy; when every place is taken, start another round.

    The ledger holds earlier sessions, so that the first round fills the cells that lack people.
    """
    dealt: list[Assignment] = []
    for arrival in range(first_arrival, first_arrival + n):
        assignment = assign(ledger, arrival)
        if assignment is None:
            ledger = Ledger(ledger.study)
            assignment = assign(ledger, arrival)
        if assignment is None:
            raise StudyError([f"{ledger.study.name!r} wants nobody in any condition; give a condition a quota."])
        dealt.append(assignment)
        # Counted as started, so that the next assignment is balanced against this one.
        ledger.take(_start(ledger, assignment))
    return dealt


def _start(ledger: Ledger, assignment: Assignment) -> SessionStarted:
    name = f"drawn-{assignment.arrival}"
    return SessionStarted(
        session_id=name, seq=1, at_ms=0, study_name=ledger.study.name, study_digest="", participant_id=name,
        participant_kind="synthetic", assignment=assignment,
    )  # fmt: skip


# Renaming: a drawn session under names that do not tell its condition.

T = TypeVar("T")


def renamed_place(place: StaticPlace, names: WireNames) -> StaticPlace:
    """Return the session with the names of its page for every block and trial; seals are made with them already."""

    def by_trial(found: Mapping[str, T]) -> dict[str, T]:
        return {names.of(trial_id): value for trial_id, value in found.items()}

    trials = {
        trial_id: trial.model_copy(update={"trial_id": names.of(trial_id), "block_id": names.of(trial.block_id)})
        for trial_id, trial in place.trials.items()
    }
    tallies = {
        name: tally.model_copy(update={"blocks": tuple(map(names.of, tally.blocks))})
        for name, tally in place.tallies.items()
    }
    return place.model_copy(
        update={
            "visits": tuple(_visit(visit, names) for visit in place.visits),
            "trials": by_trial(trials),
            "files": by_trial(place.files),
            "titles": by_trial(place.titles),
            "seals": by_trial(place.seals),
            "answers": by_trial(place.answers),
            "reasons": by_trial(place.reasons),
            "tallies": tallies,
        }
    )


def _visit(visit: StaticVisit, names: WireNames) -> StaticVisit:
    return visit.model_copy(
        update={
            "block": names.of(visit.block),
            "trial_ids": tuple(map(names.of, visit.trial_ids)),
            "by_count": tuple(tuple(map(names.of, ids)) for ids in visit.by_count),
            "references": tuple(_reference(reference, names) for reference in visit.references),
            "gate": None if visit.gate is None else _gate(visit.gate, names),
        }
    )


def _reference(reference: StaticReference, names: WireNames) -> StaticReference:
    unmet = tuple(map(names.of, reference.unmet))
    return reference.model_copy(update={"block": names.of(reference.block), "unmet": unmet})


def _gate(gate: StaticGate, names: WireNames) -> StaticGate:
    again = None if gate.again is None else tuple(_visit(visit, names) for visit in gate.again)
    return gate.model_copy(update={"again": again})


# Places: one drawn session as its page needs it: visits, trials and seals, without the design or the key.

_UNLIMITED = 20
"""Tries that are drawn in advance if a study sets no limit."""


@dataclass(frozen=True)
class PlaceWriter:
    """Writes drawn sessions of one study."""

    script: Script
    public: PublicStudy
    needs: Needs
    reveals: bool
    """Whether the pages may hold right answers in plain text."""

    def place(self, name: str, assignment: Assignment, sealer: Sealer, *, names: WireNames = PLAIN) -> wire.StaticPlace:
        """Return everything the page of one session needs, with `names` for its blocks and trials."""
        visits = _Agenda(self.script, assignment).all()
        trial_ids = dict.fromkeys(_trials_in(visits))
        answers = {
            trial_id: self.script.answers[trial_id] for trial_id in trial_ids if self.script.answers.get(trial_id)
        }
        tallies = {name: self._tally(use) for name, use in self.needs.tallies.items()}
        plain = wire.StaticPlace(
            place=name,
            visits=visits,
            trials={trial_id: self.public.trials[trial_id] for trial_id in trial_ids},
            files={trial_id: self.public.files[trial_id] for trial_id in trial_ids if self.public.files[trial_id]},
            titles={trial_id: title_of(self.script.trials[trial_id]) for trial_id in _referred(visits)},
            salt=sealer.salt.hex(),
            n_rounds=sealer.n_rounds,
            seals={} if self.reveals else self._seals(trial_ids, sealer, names),
            answers=answers if self.reveals else {},
            reasons={key: why for key, why in self.script.reasons.items() if key in trial_ids and self.reveals},
            tallies=tallies if self.reveals else {},
        )
        return renamed_place(plain, names)

    def _seals(
        self, trial_ids: dict[str, None], sealer: Sealer, names: WireNames
    ) -> dict[str, tuple[wire.StaticSeal, ...]]:
        seals: dict[str, tuple[wire.StaticSeal, ...]] = {}
        for trial_id in trial_ids:
            key = self.script.answers.get(trial_id) or {}
            judged = self.needs.sealed.get(self.script.trials[trial_id].block_id, frozenset())
            made_seals: list[wire.StaticSeal] = []
            for question in sorted(judged, key=str):
                asked = [name for name in sorted(key) if question in (None, name)]
                if asked:
                    # The page seals what it knows: its own name of the trial.
                    seal = sealer.seal(names.of(trial_id), asked, key)
                    made_seals.append(wire.StaticSeal(question=question, questions=tuple(asked), seal=seal))
            if made_seals:
                seals[trial_id] = tuple(made_seals)
        return seals

    def _tally(self, use: MeasureUse) -> wire.StaticTally:
        main = [block.block_id for block in blocks_in(self.script.study.flow) if block.purpose == "main"]
        question = use.measure.params.get("question")
        return wire.StaticTally(
            blocks=tuple(use.blocks or main),
            question=None if question is None else str(question),
            summary=use.summary or "",
        )


class _Counted(NamedTuple):
    number: int
    """The visit on whose number of answers the trials depend."""
    trial_ids: tuple[tuple[str, ...], ...]


class _Agenda:
    """The visits of one assignment, each with what may follow it."""

    def __init__(self, script: Script, assignment: Assignment) -> None:
        self.script = script
        self.assignment = assignment
        self._agenda = visits_for(script.study.flow, assignment)
        self._n_made = 0
        self._met: dict[str, list[SeenStimulus]] = {}
        self._timed: dict[str, list[tuple[int, BlockVisit, tuple[str, ...]]]] = {}

    def all(self) -> tuple[wire.StaticVisit, ...]:
        """Return the visits in their first order."""
        return tuple(self._visit(visit, index, keeps=True) for index, visit in enumerate(self._agenda))

    def _visit(self, visit: BlockVisit, index: int, *, keeps: bool = False) -> wire.StaticVisit:
        block = visit.block
        number = self._n_made
        self._n_made += 1
        trial_ids = self.script.trial_ids(visit, self.assignment, self._met)
        counted = self._by_count(visit)
        planned = self.script.timetable.plan(visit)
        part = current_part(self._agenda, index)
        opening = self._opening(index) if keeps else None
        if keeps:
            self._keep(number, visit, trial_ids)
        return wire.StaticVisit(
            number=number,
            block=block.block_id,
            purpose=block.purpose,
            try_number=visit.try_number,
            trial_ids=trial_ids,
            minutes=block.minutes if isinstance(block, Stage) else None,
            feedback=block.feedback,
            stops=tuple(wire.StaticStop(rule=tree_of_rule(stop.rule), outcome=stop.outcome) for stop in block.stops),
            references=tuple(
                self._reference(reference, visit) for reference in references_at(visit, self.script.blocks)
            ),
            counts_visit=None if counted is None else counted.number,
            by_count=() if counted is None else counted.trial_ids,
            gate=None if block.gate is None else self._gate(block.gate, visit, index),
            seconds=planned.seconds,
            n_pages=planned.n_pages,
            part=None if part is None else wire.PartState(**part._asdict()),
            opening=None if opening is None else opening_state(opening),
        )

    def _opening(self, index: int) -> Opening | None:
        # A pacing that has seen nothing: the page corrects the minutes by the pace of its person.
        ahead = [self.script.timetable.plan(visit) for visit in self._agenda[index:]]
        return opening_of(self._agenda, index, ahead, Pacing())

    def _reference(self, reference: Reference, visit: BlockVisit) -> wire.StaticReference:
        unmet = unmet_trials(self.script, reference.block, visit, self.assignment)
        return wire.StaticReference(block=reference.block, access=reference.access, unmet=tuple(unmet))

    def _gate(self, gate: Gate, visit: BlockVisit, index: int) -> wire.StaticGate:
        most = _UNLIMITED if gate.tries == "unlimited" else gate.tries
        again: tuple[wire.StaticVisit, ...] | None = None
        if visit.try_number < most:
            again = tuple(self._visit(next_try, index) for next_try in self._again(visit, gate))
        return wire.StaticGate(
            at_least=gate.at_least,
            question=question_of_gate(self.script, gate.measure),
            on_fail=gate.on_fail,
            tries_left=None if gate.tries == "unlimited" else max(1, gate.tries - visit.try_number + 1),
            again=again,
        )

    def _again(self, visit: BlockVisit, gate: Gate) -> Iterator[BlockVisit]:
        levels = {name: level for name, level in visit.levels.items() if name not in visit.block.levels}
        for name in gate.restudy:
            block = self.script.blocks[name]
            if matches(block.when, levels):
                yield BlockVisit(block, {**levels, **block.levels}, visit.try_number + 1)
        yield BlockVisit(visit.block, visit.levels, visit.try_number + 1)

    def _keep(self, number: int, visit: BlockVisit, trial_ids: tuple[str, ...]) -> None:
        block_id = visit.block.block_id
        if isinstance(visit.block, Stage) and visit.block.minutes is not None:
            self._timed.setdefault(block_id, []).append((number, visit, trial_ids))
        self._met.setdefault(block_id, []).extend(self._stimuli(visit, trial_ids))

    def _stimuli(self, visit: BlockVisit, trial_ids: tuple[str, ...]) -> list[SeenStimulus]:
        ids = [self.script.trials[trial_id].stimulus_id for trial_id in trial_ids]
        return [SeenStimulus(stimulus_id, visit.levels) for stimulus_id in ids if stimulus_id is not None]

    def _by_count(self, visit: BlockVisit) -> _Counted | None:
        """Return the trials of a repeating stage for each number of items that its timed source may reach."""
        source = (visit.block.repeats if isinstance(visit.block, Stage) else None) or ""
        whole = self.script.trial_ids(visit, self.assignment, self._met)
        dependent: list[_Counted] = []
        for number, timed, trial_ids in self._timed.get(source, ()):
            others = [seen for seen in self._met[source] if seen.levels != timed.levels]
            by_count: list[tuple[str, ...]] = []
            for n in range(len(trial_ids) + 1):
                met = {source: others + self._stimuli(timed, trial_ids[:n])}
                by_count.append(tuple(self.script.trial_ids(visit, self.assignment, met)))
            if any(set(ids) != set(whole) for ids in by_count):
                dependent.append(_Counted(number, tuple(by_count)))
        if len(dependent) > 1:
            raise StudyError(
                [f"{visit.block.block_id!r} repeats {source!r} after several rounds that end by time; a page cannot."]
            )
        return dependent[0] if dependent else None


def _trials_in(visits: Iterable[wire.StaticVisit]) -> Iterator[str]:
    for visit in _every(visits):
        yield from visit.trial_ids
        yield from (name for ids in visit.by_count for name in ids)
        yield from (name for reference in visit.references for name in reference.unmet)


def _referred(visits: tuple[wire.StaticVisit, ...]) -> dict[str, None]:
    blocks = {reference.block for visit in _every(visits) for reference in visit.references}
    met = [name for visit in _every(visits) if visit.block in blocks for name in visit.trial_ids]
    unmet = (name for visit in _every(visits) for reference in visit.references for name in reference.unmet)
    return dict.fromkeys([*met, *unmet])


def _every(visits: Iterable[wire.StaticVisit]) -> Iterator[wire.StaticVisit]:
    for visit in visits:
        yield visit
        yield from _every((visit.gate.again if visit.gate else None) or ())
