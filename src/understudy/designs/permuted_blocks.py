"""Permuted blocks: each block of arrivals contains every condition equally often, in random order."""

from collections.abc import Sequence

from pydantic import Field

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "permuted_blocks")
class PermutedBlocks(Record):
    """Draws each block without replacement; the counts so far tell what is left of the current block."""

    n_repeats: int = Field(default=2, ge=1, le=1000)
    """How often each condition occurs in a block."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Draw from the rest of the current block."""
        with_room = [place for place in places if place.has_room]
        block = min(place.n_assigned // self.n_repeats for place in with_room)
        left = [max((block + 1) * self.n_repeats - place.n_assigned, 0) for place in with_room]
        draw = int(rng.integers(sum(left)))
        # A weighted draw: walk along the cumulated counts until the drawn number is used up.
        for place, n_left in zip(with_room, left, strict=True):
            draw -= n_left
            if draw < 0:
                return place.condition
        raise AssertionError("a block always has a condition left")
