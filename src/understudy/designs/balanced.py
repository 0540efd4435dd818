"""Random balanced: a random one of the conditions that hold the fewest people relative to their quota."""

from collections.abc import Sequence

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "balanced")
class Balanced(Record):
    """Keeps conditions level at every moment, counting people who completed or are on the way."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose at random among the emptiest places."""
        with_room = [place for place in places if place.has_room]
        emptiest = min(place.n_held / place.quota for place in with_room)
        tied = [place for place in with_room if place.n_held / place.quota == emptiest]
        return tied[int(rng.integers(len(tied)))].condition
