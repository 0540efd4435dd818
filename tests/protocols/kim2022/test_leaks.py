"""What a browser fetches tells neither the class of a photo, nor whether the model is right, nor the order of options."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.protocols.kim2022.stand_ins import LABELS, stand_in
from understudy.prepare import Prepared, prepare
from understudy.prepare.prepared import write_prepared
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import TASKS, Method, Task
from understudy.schema import canonical_json, files_named_in, json_from_record

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


@pytest.mark.parametrize(("method", "task"), VARIANTS)
def test_all_files_that_pages_of_the_task_load_are_equally_long(
    method: Method, task: Task, root: Path, tmp_path: Path
) -> None:
    prepared = prepared_study(root, method, task)
    folder = write_prepared(prepared, tmp_path)
    shown = [trial for trial in prepared.materials.trials.values() if trial.block_id == "task"]
    addresses = {address for trial in shown for address in files_named_in(trial, frozenset(prepared.files))}
    assert len(addresses) > len(shown) or method in ("gradcam", "bagnet")
    assert len({(folder / "public" / "assets" / address).stat().st_size for address in addresses}) == 1


@pytest.mark.parametrize(("method", "task"), VARIANTS)
def test_what_a_page_loads_is_not_longer_for_right_items(method: Method, task: Task, root: Path) -> None:
    prepared = prepared_study(root, method, task)
    shown = {key: trial for key, trial in prepared.materials.trials.items() if trial.block_id == "task"}
    is_right = [prepared.key.truth[trial_id]["model_is"] == "right" for trial_id in shown]
    if all(is_right):
        # Where only right predictions are shown, the first of the two decisions is what people find out.
        is_right = [prepared.key.answers[trial_id].get("decision_1") == "Present" for trial_id in shown]
    lengths = np.array([len(canonical_json(json_from_record(trial))) for trial in shown.values()])
    found = best_cut(lengths, np.array(is_right))
    rng = np.random.default_rng(1)
    by_chance = [best_cut(lengths, rng.permutation(is_right)) for _ in range(500)]
    assert found <= np.quantile(by_chance, 0.975)


def best_cut(sizes: "np.ndarray[Any, Any]", is_right: "np.ndarray[Any, Any]") -> float:
    """Return the accuracy of the best rule that calls files beyond some size right, or wrong."""
    cuts = (np.mean((sizes > size) == is_right) for size in (*sizes, -1))
    return float(max(max(share, 1 - share) for share in cuts))
