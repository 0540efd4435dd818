"""Queue: which texts an annotator still has to code, in an order of their own that never changes."""

from collections.abc import Iterable, Mapping, Sequence

from understudy.conduct.coding.units import Unit
from understudy.measures.codes import UnitCodes
from understudy.schema import seed_from

_NOBODY = UnitCodes()


def queue_for(annotator: str, units: Iterable[Unit], codes: Mapping[str, UnitCodes], *, seed: int) -> tuple[Unit, ...]:
    """Return what somebody has coded and may still code, in their own random order.

    A text that has its annotators already is left out. New texts fall anywhere in the order, so that nobody can tell
    early participants from late ones.
    """
    mine = [unit for unit in units if _is_for(annotator, unit, codes.get(unit.unit_id, _NOBODY))]
    return tuple(
        sorted(mine, key=lambda unit: seed_from(seed, "coding", unit.scheme.scheme_id, annotator, unit.unit_id))
    )


def n_left(annotator: str, queue: Sequence[Unit], codes: Mapping[str, UnitCodes]) -> int:
    """Return how many texts of a queue the annotator has not coded."""
    return sum(annotator not in codes.get(unit.unit_id, _NOBODY).given for unit in queue)


def _is_for(annotator: str, unit: Unit, said: UnitCodes) -> bool:
    return annotator in said.given or len(said.given) < unit.n_wanted
