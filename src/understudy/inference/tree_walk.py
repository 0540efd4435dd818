"""Tree walk: the way of a photo through a tree of prototypes, from its root to a leaf."""

from typing import NamedTuple

import numpy as np

from understudy.roles import Floats
from understudy.schema import MapModelCard


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


def ends_in_fork(walk: Walk, card: MapModelCard) -> bool:
    """Tell whether both answers to the last but one decision lead to another decision, so that two can be left open."""
    if len(walk.nodes) < 2:
        return False
    fork = card.nodes[walk.nodes[-2]]
    return min(fork.absent, fork.present) >= 0
