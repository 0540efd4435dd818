"""Map models: what is known about a picture classifier that shows what it looked at, besides its weights.

A map model is a folder with `model.onnx`, `card.json` (this record) and the photos that its prototypes come from. The
network takes pictures as numbers from 0 to 1, (n, channels, height, width), and has two outputs: `probabilities`
(n, labels) and `maps` (n, maps, rows, columns).
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from understudy.schema.explanations.picture import Region
from understudy.schema.record import Json, Record

BoxRule: TypeAlias = Literal["all", "peak"]
"""What the box of a prototype goes around, of the pixels at or above the 95th percentile of its map: all of them, as in
ProtoPNet, or those that touch the highest one. Where a small network finds something similar in two corners of a photo,
the box around all of them would be most of the photo. A box around the peak is at least one place of the map wide."""


class StoredPrototype(Record):
    """A patch of a training photo that the model compares other photos with. Prototype k has map k."""

    label: str = ""
    """The class that it speaks for; empty where a tree decides by several."""
    source: str
    """Name of the PNG file of that photo, in the same folder."""
    region: Region
    """The patch, in the photo."""
    training_index: int = Field(ge=0)
    """The position of the photo in the training part, so that anybody can find it there."""
    weight: float = 1.0
    """How much its similarity adds to the score of its class."""


class TreeNode(Record):
    """An inner node of a tree. A child is the index of another node, or -1 - k for leaf k."""

    prototype: int = Field(ge=0)
    absent: int
    present: int


class MapModelCard(Record):
    """How to read the outputs of a map model."""

    format: Literal[1] = 1
    name: str
    method: Literal["class_maps", "patch_logits", "prototypes", "tree"]
    """What a map is: the evidence of a feature map for a class (GradCAM of a linear head); the logit of each patch for a
    class (BagNet, bag of crops); the similarity of each place to a prototype; the same, with a tree that decides."""
    labels: tuple[str, ...] = Field(min_length=2)
    """In the order of the probabilities."""
    size: tuple[int, int, int]
    """Channels, height and width of the pictures."""
    receptive_px: float | None = None
    """Width of the patch that one place of a map sees, in pixels; None if it sees all of the picture."""
    prototypes: tuple[StoredPrototype, ...] = ()
    nodes: tuple[TreeNode, ...] = ()
    """The tree, root first."""
    leaves: tuple[tuple[Annotated[float, Field(ge=0, le=1)], ...], ...] = ()
    """The probability of each label in each leaf."""
    threshold: float = 0.5
    """The similarity above which a tree calls a prototype present."""
    box: BoxRule = "all"
    """How the boxes of its prototypes, and of what photos have in common with them, are drawn."""
    training: Json = {}
    """Settings, seeds, data, seconds of computing."""
    scores: Json = {}
    """Accuracies and counts, each with the number of pictures it was measured on."""
    licence: str = ""

    @model_validator(mode="after")
    def _parts_fit(self) -> "MapModelCard":
        if (self.method in ("prototypes", "tree")) != bool(self.prototypes):
            raise ValueError(f"{self.name!r} is a model of {self.method}, which does not fit its prototypes")
        if (self.method == "tree") != bool(self.nodes and self.leaves):
            raise ValueError(f"{self.name!r} is a model of {self.method}, which does not fit its tree")
        for node in self.nodes:
            if node.prototype >= len(self.prototypes) or any(
                child >= len(self.nodes) or -1 - child >= len(self.leaves) for child in (node.absent, node.present)
            ):
                raise ValueError(f"a node of {self.name!r} names a prototype, node or leaf that does not exist")
        return self
