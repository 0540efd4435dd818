"""Tree path: the greedy way to a leaf, with the two decisions at its last fork left open where asked."""

from pathlib import Path

import numpy as np
import pytest

from tests.explainers.map_models import COLOURS, LEAVES, TREE, write_map_model
from tests.explainers.stage import LABELS
from understudy.errors import MaterialsError
from understudy.explainers import TreePathing
from understudy.models import MapModel
from understudy.roles import Explained, Floats, Model
from understudy.schema import TreeNode, TreePath

pytest.importorskip("onnx", reason="needs the extra torch")
THRESHOLD = 0.9


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return MapModel(folder=str(write_map_model(tmp_path, "tree", threshold=THRESHOLD)))


def picture_with(*prototypes: int) -> Floats:
    """Return a white picture with blocks in the colours of some prototypes."""
    picture = np.ones((1, 3, 8, 10))
    for position, index in enumerate(prototypes):
        picture[0, :, 2:4, 2 * position : 2 * position + 2] = COLOURS[index][:, None, None]
    return picture


def explained(model: Model, picture: Floats, target: int | None = None, **options: object) -> Explained:
    made = TreePathing.model_validate(options)
    return made.explain(model, picture, None if target is None else np.array([target]), np.random.default_rng(1))


def path(found: Explained) -> TreePath:
    explanation = found.explanations[0]
    assert isinstance(explanation, TreePath)
    return explanation


@pytest.mark.parametrize(
    ("present", "decisions", "leaf"), [((), (0, 0), 0), ((1,), (0, 1), 1), ((0,), (1, 0), 2), ((0, 2), (1, 1), 3)]
)
def test_decisions_follow_what_is_in_the_picture(
    model: Model, present: tuple[int, ...], decisions: tuple[int, int], leaf: int
) -> None:
    found = explained(model, picture_with(*present), shows_decisions=True)
    assert tuple(step.is_present for step in path(found).steps) == tuple(map(bool, decisions))
    assert found.truths[0]["leaf_label"] == LABELS[int(np.argmax(LEAVES[leaf]))]


def test_the_region_of_a_present_prototype_contains_it(model: Model) -> None:
    region = path(explained(model, picture_with(0))).steps[0].region
    assert region.left == 0
    assert region.top <= 2 / 8
    assert region.top + region.height >= 4 / 8


def test_nothing_that_the_model_found_reaches_the_page_unless_asked(model: Model) -> None:
    steps = path(explained(model, picture_with(0, 2))).steps
    assert {step.is_present for step in steps} == {step.similarity for step in steps} == {None}


def test_scores_and_decisions_are_shown_where_asked(model: Model) -> None:
    steps = path(explained(model, picture_with(0, 2), shows_decisions=True, shows_scores=True)).steps
    assert [step.is_present for step in steps] == [True, True]
    assert [step.similarity for step in steps] == pytest.approx([1.0, 1.0], abs=1e-3)


def test_facts_of_the_steps_are_kept_back(model: Model) -> None:
    found = explained(model, picture_with(0))
    rows = found.truths[0]["rows"]
    assert isinstance(rows, list)
    assert [row["row_id"] for row in rows if isinstance(row, dict)] == [step.row_id for step in path(found).steps]
    assert [row["is_present"] for row in rows if isinstance(row, dict)] == [True, False]


def test_a_fork_leaves_two_decisions_open(model: Model) -> None:
    found = explained(model, picture_with(0, 2), leaves_open=2, shows_decisions=True, shows_scores=True)
    fork = path(found).fork
    assert path(found).steps == ()
    assert fork is not None
    assert {step.is_present for step in (fork.first, fork.if_absent, fork.if_present)} == {None}
    assert {step.similarity for step in (fork.first, fork.if_absent, fork.if_present)} == {None}
    assert found.truths[0]["decisions"] == [True, True]


def test_both_sides_of_a_fork_are_the_nodes_of_the_tree(model: Model) -> None:
    forks = [path(explained(model, picture_with(*present), leaves_open=2)).fork for present in ((), (0,))]
    whole = [path(explained(model, picture_with(*present))).steps[-1] for present in ((), (0,))]
    assert forks[0] is not None
    assert forks[1] is not None
    assert forks[0].if_absent == whole[0]
    assert forks[1].if_present == whole[1]
    assert forks[0].if_absent.source == forks[1].if_absent.source


def test_a_tree_of_one_decision_leaves_none_open(tmp_path: Path) -> None:
    short = MapModel(folder=str(write_map_model(tmp_path, "tree", nodes=(TreeNode(prototype=0, absent=-1, present=-2),), leaves=LEAVES[:2])))  # fmt: skip
    with pytest.raises(MaterialsError, match="comes to no decision from which on two can be left open"):
        explained(short, picture_with(0), leaves_open=2)


def test_a_fork_with_a_leaf_on_one_side_is_refused(tmp_path: Path) -> None:
    nodes = (
        TREE[0].model_copy(update={"absent": -1, "present": 1}),
        TREE[1].model_copy(update={"absent": -2, "present": -3}),
    )
    lopsided = MapModel(folder=str(write_map_model(tmp_path, "tree", nodes=nodes, leaves=LEAVES[:3], threshold=THRESHOLD)))  # fmt: skip
    with pytest.raises(MaterialsError, match="both answers must lead to another decision"):
        explained(lopsided, picture_with(0), leaves_open=2)


def test_a_fork_may_be_followed_by_more_decisions_of_the_model(tmp_path: Path) -> None:
    nodes = (*TREE[:2], TREE[2].model_copy(update={"present": 3}), TreeNode(prototype=1, absent=-4, present=-5))
    deeper = MapModel(
        folder=str(write_map_model(tmp_path, "tree", nodes=nodes, leaves=(*LEAVES, LEAVES[0]), threshold=THRESHOLD))
    )
    found = explained(deeper, picture_with(0, 2, 1), leaves_open=2)
    assert path(found).steps == ()
    assert found.truths[0]["decisions"] == [True, True]
    assert found.truths[0]["leaf_label"] == LABELS[0]


def test_steps_are_called_as_in_the_drawing_where_asked(model: Model) -> None:
    assert [step.number for step in path(explained(model, picture_with(0), names_nodes=True)).steps] == ["1", "2b"]
    assert {step.number for step in path(explained(model, picture_with(0))).steps} == {""}


def test_another_class_than_that_of_the_leaf_is_refused(model: Model) -> None:
    assert explained(model, picture_with(), 0) == explained(model, picture_with())
    with pytest.raises(MaterialsError, match="1 of the 1 photos are to be explained for another class"):
        explained(model, picture_with(), 1)
