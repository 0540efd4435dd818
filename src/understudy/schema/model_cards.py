"""What a study knows about models: dials with their names, and models with maps."""

from math import isfinite
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, model_validator

from understudy.schema.explanations.pictures import Region
from understudy.schema.findings import Interval
from understudy.schema.record import Json, Record


class DialNames(Record):
    """What people called one dial of one model, and how far they agree; None if that is unknown."""

    group: str
    """Levels of the factors that choose the model."""
    dial: int
    """Counted from 1, as on the page."""
    n_people: int
    """How many people saw the model."""
    n_named: int
    common: tuple[tuple[str, int], ...] = ()
    """The most common names, as people wrote them most often, with how many gave them."""
    n_same: int = 0
    """Pairs of people who gave the same name."""
    n_pairs: int = 0
    agreement: float | None = None
    """Mean similarity of names over pairs of people, 1 for the same."""
    interval: Interval | None = None
    elsewhere: float | None = None
    """Mean similarity of this dial's names to other people's names for other dials."""


# Dials: the controls of a generative model, and the card that describes a decoder.


class Dial(Record):
    """One dimension of a representation: a range to move in, or options to choose from."""

    name: str = ""
    """The name of the dimension. Shown only if a study says so, since it would give the answer away."""
    kind: Literal["continuous", "periodic", "discrete"] = "continuous"
    low: float = 0.0
    high: float = 1.0
    options: tuple[str, ...] = ()
    """The categories of a discrete dial; the decoder takes one number for each, 1 for the chosen one."""
    group: str = ""
    """Dials of one group are drawn together, if there are many dials."""

    @model_validator(mode="after")
    def _has_a_range(self) -> "Dial":
        if self.kind == "discrete" and len(self.options) < 2:
            raise ValueError(f"discrete dial {self.name!r} has {len(self.options)} options. Give at least two.")
        if self.kind != "discrete" and self.options:
            raise ValueError(f"dial {self.name!r} is {self.kind} and has options. Make it discrete, or drop them.")
        if self.kind != "discrete" and self.low >= self.high:
            raise ValueError(f"dial {self.name!r} runs from {self.low:g} to {self.high:g}. Make low the smaller one.")
        return self

    @property
    def n_inputs(self) -> int:
        """How many numbers of a code belong to the dial."""
        return len(self.options) if self.kind == "discrete" else 1

    @property
    def width(self) -> float:
        """The length of the range; a choice counts as one width."""
        return 1.0 if self.kind == "discrete" else self.high - self.low


class DecoderCard(Record):
    """What is known about a decoder besides its weights."""

    format: Literal[1] = 1
    name: str
    view: str = "image"
    """How an output is drawn: image, line, or the name of another view."""
    shape: tuple[int, ...]
    """Rows and columns of an image, or the number of points of a line."""
    limits: tuple[float, float] = (0.0, 1.0)
    """The values drawn as black and white, or as the bottom and the top of a chart."""
    dials: tuple[Dial, ...] = Field(min_length=1)
    """In the order of the decoder's inputs."""
    codes: tuple[tuple[float, ...], ...] = ()
    """Codes of held-out instances, from which starts and targets are drawn. Never served."""
    percentiles: dict[str, tuple[float, ...]] = {}
    """Percentile -> the value of each input over the held-out codes."""
    provenance: Json = {}
    """Recipe, seed, software, data, and held-out error."""

    @property
    def n_inputs(self) -> int:
        """The length of a code."""
        return sum(dial.n_inputs for dial in self.dials)

    @property
    def n_outputs(self) -> int:
        """The length of an output."""
        n = 1
        for size in self.shape:
            n *= size
        return n


def code_fault(dials: tuple[Dial, ...], code: JsonValue) -> str | None:
    """Return why a value is not a code of these dials, or None."""
    wanted = sum(dial.n_inputs for dial in dials)
    if not isinstance(code, list) or len(code) != wanted:
        return f"a code has {wanted} numbers"
    if not all(
        isinstance(number, int | float) and not isinstance(number, bool) and isfinite(number) for number in code
    ):
        return "a code holds finite numbers only"
    numbers = [float(number) for number in code]  # type: ignore[arg-type]
    start = 0
    for number, dial in enumerate(dials, start=1):
        part = numbers[start : start + dial.n_inputs]
        start += dial.n_inputs
        if dial.kind == "discrete":
            if sorted(part) != [0.0] * (len(part) - 1) + [1.0]:
                return f"dial {number} chooses exactly one of {len(part)} options"
        elif not dial.low <= part[0] <= dial.high:
            return f"dial {number} lies between {dial.low:g} and {dial.high:g}"
    return None


# Map models: what is known about a picture classifier that shows what it looked at, besides its weights.
#
# A map model is a folder with `model.onnx`, `card.json` (this record) and the photos that its prototypes come from. The
# network takes pictures as numbers from 0 to 1, (n, channels, height, width), and has two outputs: `probabilities`
# (n, labels) and `maps` (n, maps, rows, columns).

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
