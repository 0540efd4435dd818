"""The tree as people see it: decisions that change nothing are left out, steps are called alike, forks have four ways out."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from understudy.inference.map_models import fork_of, forks_of, leaf_label, shown_tree, step_numbers, walk_of
from understudy.schema import MapModelCard, Region, StoredPrototype, TreeNode

LABELS = ("wren", "robin", "finch", "swift", "heron", "stork", "tit", "owl")


def card_of(nodes: list[tuple[int, int]], classes: list[int]) -> MapModelCard:
    """Return a tree whose node k has prototype k, with these children, and leaves of these classes."""
    region = Region(left=0, top=0, width=1, height=1)
    fields: dict[str, Any] = {
        "name": "tree", "method": "tree", "labels": LABELS, "size": (3, 8, 8),
        "prototypes": tuple(
            StoredPrototype(source=f"{k}.png", region=region, training_index=k) for k in range(len(nodes))
        ),
        "nodes": tuple(TreeNode(prototype=k, absent=a, present=p) for k, (a, p) in enumerate(nodes)),
        "leaves": tuple(tuple(float(k == own) for k in range(len(LABELS))) for own in classes),
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


FORK = [(1, 2), (-1, -2), (-3, -4)]
BELOW = [(1, 4), (2, 3), (-1, -2), (-3, -4), (5, 6), (-5, -6), (-7, -8)]
"""Two forks below another decision."""


def test_a_fork_has_four_ways_out_with_a_class_each() -> None:
    card = card_of([(1, 4), (2, 3), (-1, -2), (-3, -4), (5, 6), (-5, -6), (-7, -8)], [0, 1, 2, 3, 4, 5, 6, 4])
    # The second fork leads to class 4 twice, so that one of its ways out would hardly ever be right.
    assert forks_of(card) == {1}


def test_where_no_fork_has_a_class_for_each_way_out_any_will_do() -> None:
    assert forks_of(card_of(FORK, [0, 1, 0, 1])) == {0}


def test_the_last_fork_on_a_way_is_the_one_that_counts() -> None:
    card = card_of(BELOW, [*range(8)])
    assert forks_of(card) == {1, 4}
    assert fork_of(walk_of(np.zeros((7, 1, 1)), card), forks_of(card)) == 1


def test_a_way_out_to_a_stray_leaf_moves_the_fork_up() -> None:
    # The class of the last leaf is also elsewhere, so that its way would hardly ever be right.
    assert forks_of(card_of(BELOW, [0, 1, 0, 3, 4, 5, 6, 4])) == {0}


def test_a_decision_with_an_end_on_one_side_is_not_a_fork() -> None:
    card = card_of([(1, -1), (-2, -3)], [0, 1, 2])
    assert fork_of(walk_of(np.zeros((2, 1, 1)), card), forks_of(card)) is None
