"""Simple random: every condition with room is equally likely."""

from collections.abc import Sequence

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "simple_random")
class SimpleRandom(Record):
    """Makes the order of conditions unpredictable; the quotas still end up filled."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose at random among the conditions with room."""
        with_room = [place for place in places if place.has_room]
        return with_room[int(rng.integers(len(with_room)))].condition
