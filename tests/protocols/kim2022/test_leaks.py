"""What a browser fetches tells neither the class of a photo, nor whether the model is right, nor the order of options."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.protocols.kim2022.stand_ins import LABELS, stand_in
from understudy.prepare import Prepared, prepare
from understudy.prepare.folder import write_prepared
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import TASKS, Method, Task
from understudy.schema import files_named_in

VARIANTS = [(method, task) for method, tasks in TASKS.items() for task in tasks if task != "distinction-label"]
SECRETS = ("model_is", "option_of_", "class_of", "leaf_label", "open_rows", "rank", "training_index")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("photos")


def prepared_study(root: Path, method: Method, task: Task) -> Prepared:
    study = kim2022(method=method, task=task, data=stand_in(root, method), choices=Kim2022(n_sets=2))
    return prepare(study, root)


def strings_in(value: Any) -> Iterator[str]:
    """Every name and text of a JSON value."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from strings_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings_in(part)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(("method", "task"), VARIANTS)
def test_nothing_public_about_the_task_names_a_class_or_what_is_right(
    method: Method, task: Task, root: Path, tmp_path: Path
) -> None:
    folder = write_prepared(prepared_study(root, method, task), tmp_path)
    materials = json.loads((folder / "public" / "materials.json").read_text())
    said = [text for trial in materials["trials"].values() if trial["block_id"] == "task" for text in strings_in(trial)]
    for secret in (*LABELS, *SECRETS):
        assert [text for text in said if secret in text] == []
    assert not any(label in path.name for path in (folder / "public").rglob("*") for label in LABELS)


@pytest.mark.parametrize(("method", "task"), [("gradcam", "agreement"), ("protopnet", "agreement")])
def test_sizes_of_files_do_not_tell_right_from_wrong_items(
    method: Method, task: Task, root: Path, tmp_path: Path
) -> None:
    prepared = prepared_study(root, method, task)
    folder = write_prepared(prepared, tmp_path)
    rows, is_right = [], []
    for trial_id, trial in prepared.materials.trials.items():
        if trial.block_id == "task":
            (address,) = files_named_in(trial.params, frozenset(prepared.files))
            rows.append((folder / "public" / "assets" / address).stat().st_size)
            is_right.append(prepared.key.truth[trial_id]["model_is"] == "right")
    found = best_cut(np.array(rows), np.array(is_right))
    rng = np.random.default_rng(1)
    by_chance = [best_cut(np.array(rows), rng.permutation(is_right)) for _ in range(500)]
    assert found <= np.quantile(by_chance, 0.975)


def best_cut(sizes: "np.ndarray[Any, Any]", is_right: "np.ndarray[Any, Any]") -> float:
    """Return the accuracy of the best rule that calls files beyond some size right, or wrong."""
    cuts = (np.mean((sizes > size) == is_right) for size in (*sizes, -1))
    return float(max(max(share, 1 - share) for share in cuts))
