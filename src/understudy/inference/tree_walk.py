"""Tree walk: the way of a photo through a tree of prototypes, from its root to a leaf."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from understudy.roles import Floats
from understudy.schema import MapModelCard, TreeNode


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


def fork_of(walk: Walk, card: MapModelCard) -> int | None:
    """Return where on its way a photo comes to the fork at which two decisions can be left open; None if nowhere.

    A fork is a decision both of whose answers lead to another one. It is the last on the way, and all four ways out of it
    must be possible: where an answer leads to another fork, photos are asked about that one, so that the answer would
    never be right.
    """
    forks = [position for position, node in enumerate(walk.nodes) if _is_fork(card, node)]
    return forks[-1] if forks and not _leads_to_forks(card, walk.nodes[forks[-1]]) else None


def _is_fork(card: MapModelCard, at: int) -> bool:
    return at >= 0 and min(card.nodes[at].absent, card.nodes[at].present) >= 0


def _leads_to_forks(card: MapModelCard, at: int) -> bool:
    """Tell whether a fork follows within two decisions."""
    following = [child for child in (card.nodes[at].absent, card.nodes[at].present) if child >= 0]
    after = [child for node in following for child in (card.nodes[node].absent, card.nodes[node].present)]
    return any(_is_fork(card, child) for child in (*following, *after))


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
    if at < 0 or len(_classes_below(card, at)) > 1:
        return at
    while at >= 0:
        at = card.nodes[at].absent
    return at


def _classes_below(card: MapModelCard, at: int) -> set[str]:
    if at < 0:
        return {leaf_label(card, -1 - at)}
    node = card.nodes[at]
    return _classes_below(card, node.absent) | _classes_below(card, node.present)


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
