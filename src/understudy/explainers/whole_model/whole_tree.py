"""Whole tree: all decisions of a network that goes down a tree of prototypes."""

from typing import ClassVar, Literal

from pydantic import Field

from understudy.explainers.pictures.map_reading import require_maps
from understudy.inference.tree_walk import leaf_label, shown_tree, step_numbers
from understudy.registry import register
from understudy.roles import Explained, Model, Rng, Sample
from understudy.schema import DatasetRef, PrototypeTree, Record, TreeDecision


@register("model_explainers", "whole_tree")
class WholeTree(Record):
    """Shows the prototype of each decision and where its two answers lead, after ProtoTree (Nauta et al., 2021).

    Decisions whose answers all lead to the same class are left out, here and in `tree_path`: they change no prediction.
    """

    kinds: ClassVar[frozenset[str]] = frozenset({"prototype_tree"})
    dataset: DatasetRef | None = None
    """Not needed: the tree is the same for all photos."""
    n: int = Field(default=1, ge=1, le=1_000_000)
    ends: Literal["numbers", "labels", "none"] = "numbers"
    """What the ends of the tree say: the number of the class, its label, or nothing."""
    end_name: str = "Class {number}"
    """What an end with a number is called; {number} is the number."""

    def explain_model(self, model: Model, sample: Sample, rng: Rng) -> Explained:
        """Return the tree, and the photos that its prototypes are from."""
        reader = require_maps(model, ("tree",), explainer="whole_tree")
        card = shown_tree(reader.card)
        photos = {node.prototype: reader.source_photo(node.prototype) for node in card.nodes}
        decisions = tuple(
            TreeDecision(
                absent=node.absent,
                present=node.present,
                source=photos[node.prototype].shown,
                source_region=card.prototypes[node.prototype].region,
                number=number,
            )
            for node, number in zip(card.nodes, step_numbers(card), strict=True)
        )
        ends = tuple(self._end(leaf_label(card, leaf), card.labels) for leaf in range(len(card.leaves)))
        files = {photo.shown.file: photo.content for photo in photos.values()}
        return Explained((PrototypeTree(decisions=decisions, ends=ends),), files)

    def _end(self, label: str, labels: tuple[str, ...]) -> str:
        if self.ends == "none":
            return ""
        return label if self.ends == "labels" else self.end_name.replace("{number}", str(labels.index(label) + 1))
