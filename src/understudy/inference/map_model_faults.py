"""Faults of a map model's card: whatever the record alone cannot see, one sentence each."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from understudy.schema import MapModelCard, Region
from understudy.sources.pictures import picture_fault
from understudy.sources.safe_paths import path_fault

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
