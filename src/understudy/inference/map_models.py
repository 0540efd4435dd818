"""Map models: a folder with an ONNX file, its card and its photos, checked and walked through."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from understudy.errors import MaterialsError
from understudy.inference.onnx_models import ModelSession, reason_of, session_from_bytes
from understudy.roles import Floats
from understudy.schema import MapModelCard, Region, ShownPicture, TreeNode, sentences_from_validation
from understudy.sources.files import path_fault, read_once
from understudy.sources.picture_pools import batches_of
from understudy.sources.pictures import picture_fault, picture_from_pixels, pixels_from_file

# Faults of a map model's card: whatever the record alone cannot see, one sentence each.

MAX_NAMED = 3
"""Files that a sentence names; of more it gives the number."""
_SLACK = 1e-6


def card_faults(card: MapModelCard, folder: Path) -> list[str]:
    """Return one sentence for each thing that is wrong."""
    return [*_size_faults(card), *_label_faults(card), *_photo_faults(card, folder), *_tree_faults(card)]


def _size_faults(card: MapModelCard) -> Iterator[str]:
    channels, *edges = card.size
    if channels not in (1, 3) or min(edges) < 1:
        yield (
            f"Its card gives the size {card.size}; give channels (1 or 3), height and width, each a positive number."
        )


def _label_faults(card: MapModelCard) -> Iterator[str]:
    repeated = sorted(label for label, n in Counter(card.labels).items() if n > 1)
    if repeated:
        yield f"Its card has the label {', '.join(map(repr, repeated))} more than once; give each class its own label."
    if card.method == "prototypes":
        strange = sorted({prototype.label for prototype in card.prototypes} - {*card.labels})
        if strange:
            yield (
                f"Its prototypes speak for {', '.join(map(repr, strange))}, not among its labels: {', '.join(card.labels)}."
            )


def _photo_faults(card: MapModelCard, folder: Path) -> Iterator[str]:
    faults = {}
    for source in dict.fromkeys(prototype.source for prototype in card.prototypes):
        fault = path_fault(folder, source) or picture_fault(folder / source)
        if fault is not None:
            faults[source] = fault
    for source in [*faults][:MAX_NAMED]:
        yield f"The photo {source!r} {faults[source]}"
    if len(faults) > MAX_NAMED:
        yield f"{len(faults) - MAX_NAMED} more photos have such a fault."
    n_outside = sum(not _is_inside(prototype.region) for prototype in card.prototypes)
    if n_outside:
        yield f"{n_outside} of its {len(card.prototypes)} prototypes have a region that leaves the photo; give shares of its width and height."


def _is_inside(region: Region) -> bool:
    return region.left + region.width <= 1 + _SLACK and region.top + region.height <= 1 + _SLACK


def _tree_faults(card: MapModelCard) -> Iterator[str]:
    if not card.nodes:
        return
    n_odd = sum(len(leaf) != len(card.labels) for leaf in card.leaves)
    if n_odd:
        yield f"{n_odd} of its {len(card.leaves)} leaves do not have one probability for each of the {len(card.labels)} labels."
    children = Counter(child for node in card.nodes for child in (node.absent, node.present))
    expected = {*range(1, len(card.nodes)), *(-1 - leaf for leaf in range(len(card.leaves)))}
    # Each node and leaf once, and never the root: with that, no walk from the root can go in a circle.
    if children.keys() != expected or max(children.values()) > 1:
        yield "Its nodes are not a tree: every node but the first, and every leaf, must be the child of exactly one node."


MODEL_FILE, CARD_FILE = "model.onnx", "card.json"
OUTPUTS = ("probabilities", "maps")
_ADVICE = "Write the folder again by training, or correct the path."


@dataclass(frozen=True)
class SourcePhoto:
    """A photo that a prototype was taken from, as pages show it."""

    shown: ShownPicture
    content: bytes


@dataclass(frozen=True)
class OpenedMapModel:
    """A map model that passed its checks."""

    card: MapModelCard
    folder: Path
    session: ModelSession

    def predict(self, inputs: Floats) -> Floats:
        """Return the probabilities of the labels."""
        return self._output("probabilities", inputs)

    def maps(self, inputs: Floats) -> Floats:
        """Return the maps of each picture, as (n, maps, rows, columns)."""
        return self._output("maps", inputs)

    def source_photo(self, prototype: int) -> SourcePhoto:
        """Return the photo that a prototype was taken from."""
        path = self.folder / self.card.prototypes[prototype].source
        return read_once(path, _source_photo, advice=_ADVICE)

    def _output(self, name: str, inputs: Floats) -> Floats:
        if inputs.shape[1:] != self.card.size:
            raise MaterialsError(
                f"Map model {self.card.name!r} takes pictures of the shape {self.card.size} (channels, height, width), but "
                f"its inputs have the shape {inputs.shape[1:]}. Bind pictures of that size."
            )
        channels, height, width = self.card.size
        tensor = self.session.get_inputs()[0]
        found = []
        for batch in batches_of((len(inputs), height, width, channels), 0, len(inputs)):
            # A file that was traced with one picture takes one at a time.
            step = 1 if tensor.shape[0] == 1 else len(batch)
            for start in range(batch.start, batch.stop, step):
                rows = inputs[start : start + step].astype(np.float32)
                found.append(self.session.run([name], {tensor.name: rows})[0].astype(np.float64))
        if found:
            return np.concatenate(found)
        blank = np.zeros((1, *self.card.size), dtype=np.float32)
        return np.zeros((0, *self.session.run([name], {tensor.name: blank})[0].shape[1:]))


def map_model_from_folder(folder: Path) -> OpenedMapModel:
    """Open a folder, or say everything that is wrong with it."""
    absent = [name for name in (MODEL_FILE, CARD_FILE) if not (folder / name).is_file()]
    if absent:
        raise MaterialsError(
            f"{str(folder)!r} is not the folder of a map model: it has no {' and no '.join(absent)}. {_ADVICE}"
        )
    # The times of change are part of the key, so that a model trained again is opened again.
    return _opened(folder, *((folder / name).stat().st_mtime_ns for name in (MODEL_FILE, CARD_FILE)))


@cache
def _opened(folder: Path, _changed_ns: int, _card_changed_ns: int) -> OpenedMapModel:
    card = _card(folder / CARD_FILE)
    faults = card_faults(card, folder)
    if faults:
        raise MaterialsError(f"The map model in {str(folder)!r} cannot be used. " + " ".join(faults))
    session = session_from_bytes((folder / MODEL_FILE).read_bytes(), what=f"{str(folder / MODEL_FILE)!r}")
    fault = _session_fault(card, session)
    if fault is not None:
        raise MaterialsError(f"The network of map model {card.name!r} {fault}")
    return OpenedMapModel(card, folder, session)


def _card(path: Path) -> MapModelCard:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except ValueError:
        raise MaterialsError(f"The card {str(path)!r} is not JSON. {_ADVICE}") from None
    if not isinstance(content, dict):
        raise MaterialsError(f"The card {str(path)!r} is not a table of fields. {_ADVICE}")
    try:
        # As JSON, since records read a list as a tuple only there.
        return MapModelCard.model_validate_json(text)
    except ValidationError as error:
        faults = " ".join(sentences_from_validation(error, MapModelCard))
        raise MaterialsError(f"The card {str(path)!r} does not fit: {faults}") from None


def _session_fault(card: MapModelCard, session: ModelSession) -> str | None:
    """Say why a network does not do what its card promises, as the end of a sentence and what to do."""
    inputs, outputs = session.get_inputs(), [tensor.name for tensor in session.get_outputs()]
    if len(inputs) != 1 or not {*OUTPUTS} <= {*outputs}:
        return (
            f"has {len(inputs)} inputs and the outputs {', '.join(outputs)}. It needs one input, and the outputs "
            f"{' and '.join(OUTPUTS)}."
        )
    n = 1 if inputs[0].shape[0] == 1 else 2
    blank = np.zeros((n, *card.size), dtype=np.float32)
    try:
        probabilities, maps = session.run(list(OUTPUTS), {inputs[0].name: blank})
    except MaterialsError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common base class
        return f"failed on {n} pictures of the shape {card.size}: {reason_of(error)}. Correct the size in its card, or export it again."
    return _shape_fault(card, n, probabilities, maps)


def _shape_fault(card: MapModelCard, n: int, probabilities: Any, maps: Any) -> str | None:
    if probabilities.shape != (n, len(card.labels)):
        return (
            f"gives probabilities of the shape {probabilities.shape} for {n} pictures and {len(card.labels)} labels. "
            "Give one row for each picture and one column for each label."
        )
    n_maps, each = (len(card.prototypes), "prototype") if card.prototypes else (len(card.labels), "label")
    if maps.ndim != 4 or maps.shape[:2] != (n, n_maps) or not maps.size:
        return (
            f"gives maps of the shape {maps.shape} for {n} pictures. Give (pictures, maps, rows, columns), with one map "
            f"for each {each} ({n_maps})."
        )
    if not np.isfinite(probabilities).all() or not np.isfinite(maps).all():
        return "gives numbers that are not finite for a black picture. Train it again."
    return None


def _source_photo(path: Path) -> SourcePhoto:
    # Written anew, because the metadata of a file may name the class of its photo.
    pixels = pixels_from_file(path)
    picture = picture_from_pixels(pixels)
    height, width = pixels.shape[:2]
    return SourcePhoto(ShownPicture(file=picture.address, width=width, height=height), picture.content)


# Tree walk: the way of a photo through a tree of prototypes, from its root to a leaf.


class Walk(NamedTuple):
    """The way of one photo through a tree."""

    nodes: tuple[int, ...]
    """From the root on."""
    is_present: tuple[bool, ...]
    """The decision at each node."""
    leaf: int


def walk_of(maps: Floats, card: MapModelCard) -> Walk:
    """Follow the decisions from the root to a leaf."""
    nodes: list[int] = []
    decisions: list[bool] = []
    at = 0
    while at >= 0:
        node = card.nodes[at]
        is_present = bool(maps[node.prototype].max() > card.threshold)
        nodes.append(at)
        decisions.append(is_present)
        at = node.present if is_present else node.absent
    return Walk(tuple(nodes), tuple(decisions), -1 - at)


def leaf_label(card: MapModelCard, leaf: int) -> str:
    """Return the likeliest class of a leaf."""
    return card.labels[int(np.argmax(card.leaves[leaf]))]


def forks_of(card: MapModelCard) -> frozenset[int]:
    """Return the decisions from which on two can be left to people.

    Both answers lead to another decision, and each of the four ways out leads to a class that nothing else in the tree
    leads to: a way to some stray leaf would hardly ever be right. In a tree where no decision is like that, both answers
    are enough. Of several such decisions on one way, only the last is one, so that a photo has one at most and all four
    ways out of it remain possible.
    """
    return _forks(card, wants_own=True) or _forks(card, wants_own=False)


def _forks(card: MapModelCard, *, wants_own: bool) -> frozenset[int]:
    found: set[int] = set()
    n_leaves = Counter(leaf_label(card, leaf) for leaf in range(len(card.leaves)))

    def has_own(way: int) -> bool:
        return any(n == n_leaves[label] for label, n in Counter(_labels_below(card, way)).items())

    def look(at: int) -> bool:
        """Add what is found from a node on, and tell whether anything is."""
        if at < 0:
            return False
        children = (card.nodes[at].absent, card.nodes[at].present)
        below = [look(child) for child in children]
        if any(below):
            return True
        if min(children) < 0:
            return False
        ways = [way for child in children for way in (card.nodes[child].absent, card.nodes[child].present)]
        is_fork = not wants_own or all(map(has_own, ways))
        if is_fork:
            found.add(at)
        return is_fork

    look(0)
    return frozenset(found)


def fork_of(walk: Walk, forks: frozenset[int]) -> int | None:
    """Return where on its way a photo comes to one of these forks; None if nowhere."""
    return next((position for position, node in enumerate(walk.nodes) if node in forks), None)


def shown_tree(card: MapModelCard) -> MapModelCard:
    """Return the card with the tree as people see it: without decisions whose answers all lead to the same class.

    Such a decision changes no prediction, and people who look for its reason find none. The leaf at its far left takes
    its place. Decisions are numbered from the top, those of one level from the left.
    """
    nodes: list[TreeNode] = []
    leaves: list[int] = []
    level = [0]  # the first decision stays in any case, because a tree has one
    n_numbered = 1
    while level:
        below: list[int] = []
        for at in level:
            children = []
            for child in (card.nodes[at].absent, card.nodes[at].present):
                found = _first_that_matters(card, child)
                if found >= 0:
                    below.append(found)
                    children.append(n_numbered)
                    n_numbered += 1
                else:
                    leaves.append(-1 - found)
                    children.append(-len(leaves))
            absent, present = children
            nodes.append(TreeNode(prototype=card.nodes[at].prototype, absent=absent, present=present))
        level = below
    return card.model_copy(update={"nodes": tuple(nodes), "leaves": tuple(card.leaves[leaf] for leaf in leaves)})


def _first_that_matters(card: MapModelCard, at: int) -> int:
    """Return a node itself, or its leaf at the far left if all its leaves have the same class."""
    if at < 0 or len({*_labels_below(card, at)}) > 1:
        return at
    while at >= 0:
        at = card.nodes[at].absent
    return at


def _labels_below(card: MapModelCard, at: int) -> list[str]:
    """Return the class of each leaf below a node, or that of the leaf itself."""
    if at < 0:
        return [leaf_label(card, -1 - at)]
    return [*_labels_below(card, card.nodes[at].absent), *_labels_below(card, card.nodes[at].present)]


def step_numbers(card: MapModelCard) -> tuple[str, ...]:
    """Return what each decision is called on pages: its level from 1, with a letter where a level has several.

    The third decision on the way of a photo is "3", "3a" or "3b", so that a path and a drawing of the tree agree.
    """
    levels = [1] * len(card.nodes)
    for at, node in enumerate(card.nodes):
        for child in (node.absent, node.present):
            if child >= 0:
                levels[child] = levels[at] + 1
    sizes = Counter(levels)
    seen: Counter[int] = Counter()
    numbers = []
    for level in levels:
        seen[level] += 1
        numbers.append(f"{level}{_letters(seen[level])}" if sizes[level] > 1 else str(level))
    return tuple(numbers)


def _letters(number: int) -> str:
    """Return a, b, ... z, aa, ab and so on."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
