"""Listed: items written out in the study file."""

from collections.abc import Sequence

from pydantic import Field, model_validator

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Json, Record


class ListedItem(Record):
    """One item: what is shown, and what is true of it."""

    content: Json
    attributes: dict[str, str | float | int | bool] = {}


@register("datasets", "listed")
class Listed(Record):
    """Draws from items written out one by one."""

    items: tuple[ListedItem, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _attributes_fit(self) -> "Listed":
        named = {name for item in self.items for name in item.attributes}
        for place, item in enumerate(self.items, start=1):
            for name in sorted(named - item.attributes.keys()):
                raise ValueError(
                    f"item {place} has no attribute {name!r}, which others have. Give it to all or to none."
                )
        return self

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n of the items in random order, without replacement."""
        chosen = [self.items[int(k)] for k in rng.permutation(len(self.items))[:n]]
        return sample_from_items(chosen)


def sample_from_items(items: Sequence[ListedItem]) -> Sample:
    """Gather items that all have the same attributes into a sample."""
    named = items[0].attributes if items else {}
    return Sample(
        contents=[item.content for item in items],
        attributes={name: [item.attributes[name] for item in items] for name in named},
    )
