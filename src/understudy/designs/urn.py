"""Urn: balls are drawn without replacement, the balls of dropouts go back, and an empty urn is refilled."""

from collections.abc import Sequence

from pydantic import Field

from understudy.registry import register
from understudy.roles import Place, Rng
from understudy.schema import Record


@register("designs", "urn")
class Urn(Record):
    """Uses up every condition's balls before any condition gets more."""

    n_balls: int = Field(default=1, ge=1, le=1000)
    """Balls of each condition in a full urn."""

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Draw one of the balls left for conditions with room."""
        with_room = [place for place in places if place.has_room]
        filling = min(place.n_held // self.n_balls for place in with_room)
        balls = [
            place.condition for place in with_room for _ in range(max((filling + 1) * self.n_balls - place.n_held, 0))
        ]
        return balls[int(rng.integers(len(balls)))]
