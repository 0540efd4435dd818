"""Then target: fill every condition to a number, then send everybody else to one condition."""

from collections.abc import Sequence

from pydantic import Field

from understudy.registry import create, register
from understudy.roles import Place, Rng
from understudy.schema import Record, Ref


@register("designs", "then_target")
class ThenTarget(Record):
    """Assigns by another design until each condition has `after` people, then prefers the target condition."""

    target: str
    after: int = Field(ge=1, le=1_000_000)
    first: Ref = Ref(name="simple_random")

    def assign(self, arrival: int, places: Sequence[Place], rng: Rng) -> str:
        """Choose among conditions that are still short; after that, choose the target while it has room."""
        short = [place for place in places if place.n_held < self.after and place.has_room]
        if short:
            return str(create("designs", self.first).assign(arrival, short, rng))
        target = next((place for place in places if place.condition == self.target), None)
        if target is not None and target.has_room:
            return target.condition
        return str(create("designs", self.first).assign(arrival, places, rng))
