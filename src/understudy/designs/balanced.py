"""Random balanced: assigns to a random condition among those furthest below their quota."""

from collections.abc import Sequence

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "balanced")
class Balanced(Record):
    """Keeps conditions balanced throughout, counting people who have completed or are still taking part."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose at random among the conditions that are least full."""
        with_room = [place for place in places if place.has_room]
        # Relative to the quota, so that conditions with unequal quotas fill up together.
        emptiest = min(place.n_held / place.quota for place in with_room)
        tied = [place for place in with_room if place.n_held / place.quota == emptiest]
        return tied[int(rng.integers(len(tied)))].condition
