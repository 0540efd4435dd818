"""The whole tree: every decision with its prototype, and what its ends may say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.protocols.kim2022.stand_ins import LABELS, NODES, stand_in, write_model
from understudy.errors import MaterialsError, RecordError
from understudy.explainers import WholeTree
from understudy.models.trained_models import MapModel
from understudy.prepare import prepare
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import Task
from understudy.roles import Sample
from understudy.schema import PrototypeTree, Study, TreeDecision, blocks_in

NOTHING = Sample(contents=(), attributes={})


def tree_of(folder: Path, **options: Any) -> PrototypeTree:
    write_model(folder, "tree")
    said = WholeTree(**options).explain_model(MapModel(folder=str(folder)), NOTHING, np.random.default_rng(1))
    (tree,) = said.explanations
    assert isinstance(tree, PrototypeTree)
    assert {decision.source.file for decision in tree.decisions if decision.source} == {*said.files}
    return tree


def test_every_decision_leads_where_the_network_goes(tmp_path: Path) -> None:
    tree = tree_of(tmp_path)
    assert [(decision.absent, decision.present) for decision in tree.decisions] == [
        (node.absent, node.present) for node in NODES
    ]


@pytest.mark.parametrize(
    ("ends", "first"),
    [("numbers", "Species 1"), ("labels", LABELS[0]), ("none", "")],
    ids=["numbers", "labels", "none"],
)
def test_ends_say_what_the_study_allows(ends: str, first: str, tmp_path: Path) -> None:
    assert tree_of(tmp_path, ends=ends, end_name="Species {number}").ends[0] == first


def test_a_network_without_a_tree_is_refused_in_one_sentence(tmp_path: Path) -> None:
    write_model(tmp_path, "class_maps")
    with pytest.raises(
        MaterialsError, match="'whole_tree' reads a tree of prototypes, but 'stand-in class_maps' has class maps"
    ):
        WholeTree().explain_model(MapModel(folder=str(tmp_path)), NOTHING, np.random.default_rng(1))


def test_decisions_that_are_not_one_tree_are_refused() -> None:
    with pytest.raises(RecordError, match="2 decisions and 3 ends are not one tree"):
        PrototypeTree(
            decisions=(TreeDecision(absent=1, present=-1), TreeDecision(absent=-2, present=-2)), ends=("a", "b", "c")
        )


def tree_study(root: Path, task: Task, **choices: Any) -> Study:
    return kim2022(
        method="prototree", task=task, data=stand_in(root, "prototree"), choices=Kim2022(n_sets=2, **choices)
    )


@pytest.mark.parametrize("task", ["agreement", "tree-aware", "distinction"])
def test_people_can_open_the_tree_before_and_during_the_task(task: Task, tmp_path: Path) -> None:
    study = tree_study(tmp_path, task)
    main = next(block for block in blocks_in(study.flow) if block.block_id == "task")
    assert [reference.block for reference in main.references] == ["method", "tree"]
    (page,) = [trial for trial in prepare(study, tmp_path).materials.trials.values() if trial.block_id == "tree"]
    assert isinstance(page.explanation, PrototypeTree)
    # Where people choose between four numbered outcomes, numbers of classes would be mistaken for them.
    assert ({*page.explanation.ends} == {""}) == (task == "distinction")


def test_a_study_can_do_without_the_tree(tmp_path: Path) -> None:
    study = tree_study(tmp_path, "agreement", shows_tree=False)
    assert "tree" not in {block.block_id for block in blocks_in(study.flow)}
    assert "the rest of the tree" in study.simplifications["prototree"].hidden


def test_the_worked_examples_of_distinction_show_both_decisions_and_ask_nothing(tmp_path: Path) -> None:
    prepared = prepare(tree_study(tmp_path, "distinction"), tmp_path)
    examples = [trial for trial in prepared.materials.trials.values() if trial.block_id == "worked_examples"]
    assert len(examples) == 2
    for trial in examples:
        decided = prepared.key.truth[trial.trial_id]["decisions"]
        assert isinstance(decided, list)
        assert trial.params["decided"] == ["Present" if made else "Absent" for made in decided]
        assert trial.asks == ()
