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
