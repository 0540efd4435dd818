"""Map model: a picture classifier that shows what it looked at, in a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from understudy.inference.map_model import OpenedMapModel, SourcePhoto, map_model_from_folder
from understudy.inference.tree_walk import Walk, fork_of, forks_of, shown_tree, walk_of
from understudy.models.probabilities import checked_probabilities
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import FolderPath, MapModelCard, Record
from understudy.sources.shipped_material import located


@register("models", "map_model")
class MapModel(Record):
    """Predicts with a network that also gives maps: class maps, patch logits, or similarities to prototypes.

    The folder has `model.onnx`, `card.json` and the photos of the prototypes, as `understudy train` writes them.
    """

    folder: FolderPath

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the probabilities."""
        return self.card.labels

    @property
    def card(self) -> MapModelCard:
        """How to read the maps."""
        return self.opened().card

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        opened = self.opened()
        return checked_probabilities(
            opened.predict(inputs), len(inputs), name=opened.card.name, labels=opened.card.labels, outputs="probabilities"
        )  # fmt: skip

    def maps(self, inputs: Floats) -> Floats:
        """Return the maps of each picture, as (n, maps, rows, columns)."""
        return self.opened().maps(inputs)

    def facts(self, inputs: Floats) -> Mapping[str, Sequence[str]]:
        """Say of each photo whether a page can leave two decisions of a tree open, at which fork, and what they are."""
        if self.card.method != "tree":
            return {}
        card = shown_tree(self.card)
        walks = [walk_of(maps, card) for maps in self.maps(inputs)]
        known = forks_of(card)
        forks = [fork_of(walk, known) for walk in walks]
        return {
            "has_fork": ["no" if at is None else "yes" for at in forks],
            "way_out": [_way_out(walk, at) for walk, at in zip(walks, forks, strict=True)],
        }

    def source_photo(self, prototype: int) -> SourcePhoto:
        """Return the photo that a prototype was taken from."""
        return self.opened().source_photo(prototype)

    def opened(self) -> OpenedMapModel:
        """Open the folder, or say what is wrong with it."""
        return map_model_from_folder(located(Path(), self.folder).path)


def _way_out(walk: Walk, fork: int | None) -> str:
    """Name a fork and the two decisions at it, such as "node 4: absent, present"."""
    if fork is None:
        return "none"
    made = ("present" if is_present else "absent" for is_present in walk.is_present[fork : fork + 2])
    return f"node {walk.nodes[fork]}: {', '.join(made)}"
