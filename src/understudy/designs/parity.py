"""Parity: the arrival's number decides (odd or even, or modulo the number of conditions)."""

from collections.abc import Sequence

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "parity")
class Parity(Record):
    """Assigns conditions in turn; if the next one is full, the emptiest other condition takes the arrival."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Return the condition whose turn it is."""
        turn = places[arrival % len(places)]
        if turn.has_room:
            return turn.condition
        return min((place for place in places if place.has_room), key=lambda place: place.n_held).condition
