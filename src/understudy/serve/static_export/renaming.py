"""Renaming: a drawn session under names that do not tell its condition."""

from collections.abc import Mapping
from typing import TypeVar

from understudy.schema.wire import StaticGate, StaticPlace, StaticReference, StaticVisit
from understudy.serve.wire.wire_names import WireNames

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
