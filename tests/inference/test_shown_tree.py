"""The tree as people see it: decisions that change no prediction are left out, and steps are called alike everywhere."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from understudy.inference.tree_walk import leaf_label, shown_tree, step_numbers, walk_of
from understudy.schema import MapModelCard, Region, StoredPrototype, TreeNode

LABELS = ("wren", "robin", "finch")


def card_of(nodes: list[tuple[int, int]], classes: list[int]) -> MapModelCard:
    """Return a tree whose node k has prototype k, with these children, and leaves of these classes."""
    region = Region(left=0, top=0, width=1, height=1)
    fields: dict[str, Any] = {
        "name": "tree", "method": "tree", "labels": LABELS, "size": (3, 8, 8),
        "prototypes": tuple(
            StoredPrototype(source=f"{k}.png", region=region, training_index=k) for k in range(len(nodes))
        ),
        "nodes": tuple(TreeNode(prototype=k, absent=a, present=p) for k, (a, p) in enumerate(nodes)),
        "leaves": tuple(tuple(float(k == own) for k in range(3)) for own in classes),
    }  # fmt: skip
    return MapModelCard(**fields)


ONE_IDLE = card_of([(1, 2), (-1, -2), (-3, 3), (-4, -5)], [0, 0, 1, 2, 1])
"""Both answers to node 1 lead to a wren."""
IDLE_BRANCH = card_of([(1, -1), (2, -2), (-3, -4)], [1, 0, 0, 0])


@pytest.mark.parametrize("card", [ONE_IDLE, IDLE_BRANCH], ids=["one_idle", "idle_branch"])
def test_no_photo_is_predicted_otherwise_in_the_tree_that_is_shown(card: MapModelCard) -> None:
    shown = shown_tree(card)
    for present in product((0.0, 1.0), repeat=len(card.prototypes)):
        maps = np.array(present)[:, None, None]
        before, after = walk_of(maps, card), walk_of(maps, shown)
        assert leaf_label(shown, after.leaf) == leaf_label(card, before.leaf)


def test_a_decision_whose_answers_lead_to_the_same_class_is_left_out() -> None:
    shown = shown_tree(ONE_IDLE)
    assert [node.prototype for node in shown.nodes] == [0, 2, 3]
    assert [leaf_label(shown, leaf) for leaf in range(len(shown.leaves))] == ["wren", "robin", "finch", "robin"]


def test_a_branch_of_such_decisions_becomes_one_end() -> None:
    shown = shown_tree(IDLE_BRANCH)
    assert [(node.prototype, node.absent, node.present) for node in shown.nodes] == [(0, -1, -2)]


def test_the_first_decision_stays_even_if_it_changes_nothing() -> None:
    assert len(shown_tree(card_of([(-1, -2)], [2, 2])).nodes) == 1


def test_a_step_is_called_by_its_level_with_a_letter_where_there_are_several() -> None:
    full = card_of([(1, 2), (3, -1), (-2, 4), (-3, -4), (-5, -6)], [0, 1, 2, 0, 1, 2])
    assert step_numbers(shown_tree(full)) == ("1", "2a", "2b", "3a", "3b")


def test_a_level_with_one_decision_needs_no_letter() -> None:
    assert step_numbers(shown_tree(ONE_IDLE)) == ("1", "2", "3")
