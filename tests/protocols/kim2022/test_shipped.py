"""The networks and photos that come with understudy: small, accurate, and enough for every ready study."""

import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from tests.shell import understudy
from understudy.check.shortcuts import audited
from understudy.check.study_check import declared_faults
from understudy.prepare import Prepared, prepare
from understudy.prepare.bindings import bound_for
from understudy.prepare.items import draw_items
from understudy.protocols import ready_names, ready_study
from understudy.protocols.kim2022.photos import PHOTOS, SHIPPED, accuracy_of, card_of
from understudy.protocols.kim2022.variants import TASKS, Method
from understudy.schema import Findings, Json, files_named_in
from understudy.sources.files import located

NAMES = [f"kim2022-{method}-{task}" for method, tasks in TASKS.items() for task in tasks]


@lru_cache(maxsize=1)
def prepared_study(name: str) -> Prepared:
    """Prepare a ready study; the last one is kept, since preparing takes seconds."""
    return prepare(ready_study(name), Path())


def size_of(folder: str) -> int:
    return sum(path.stat().st_size for path in located(Path(), folder).path.rglob("*") if path.is_file())


def test_every_method_and_task_is_a_ready_study() -> None:
    assert {*NAMES, "kim2022-demo"} <= {*ready_names()}


@pytest.mark.parametrize("method", TASKS)
def test_a_network_is_small_and_right_for_most_creatures(method: Method) -> None:
    assert size_of(f"{SHIPPED}/{method}") < 1_500_000
    assert accuracy_of(card_of(f"{SHIPPED}/{method}")) >= 85


def test_photos_are_few_and_of_every_species() -> None:
    folders = [path for path in located(Path(), PHOTOS).path.iterdir() if path.is_dir()]
    assert {path.name for path in folders} == {*card_of(f"{SHIPPED}/gradcam").labels}
    assert size_of(PHOTOS) < 5_000_000


@pytest.mark.parametrize("name", [*NAMES, "kim2022-demo"])
def test_a_ready_study_has_no_fault_and_enough_photos(name: str, tmp_path: Path) -> None:
    assert declared_faults(ready_study(name), tmp_path) == []
    prepared = prepared_study(name)
    main = [key for key, trial in prepared.materials.trials.items() if trial.block_id.startswith("task")]
    shown = Counter(str(prepared.key.truth[trial_id]["model_is"]) for trial_id in main)
    assert shown["wrong"] in (0, shown["right"])
    if shown["wrong"]:
        assert_predictions_tell_nothing([prepared.key.truth[trial_id] for trial_id in main])
    assert len({len(content_of(prepared, address)) for address in files_of(prepared, main)}) == 1
    assert audited(prepared, np.random.default_rng(1), n_shuffles=199).shortcuts == ()


def files_of(prepared: Prepared, trial_ids: Sequence[str]) -> set[str]:
    """Return everything that the pages of these trials load."""
    known = frozenset(prepared.files)
    return {address for key in trial_ids for address in files_named_in(prepared.materials.trials[key], known)}


def content_of(prepared: Prepared, address: str) -> bytes:
    file = prepared.files[address]
    return file if isinstance(file, bytes) else file.read_bytes()


def assert_predictions_tell_nothing(truths: Sequence[Json]) -> None:
    """Right and wrong predictions are of the same species, equally often."""
    by_truth = {
        model_is: Counter(str(truth["prediction"]) for truth in truths if truth["model_is"] == model_is)
        for model_is in ("right", "wrong")
    }
    assert by_truth["right"] == by_truth["wrong"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("method", TASKS)
def test_what_a_network_predicts_does_not_tell_whether_it_is_right_whatever_the_seed(
    method: Method, seed: int, tmp_path: Path
) -> None:
    study = ready_study(f"kim2022-{method}-agreement").model_copy(update={"seed": seed})
    item_set, rng = study.item_sets[1], np.random.default_rng(seed)
    drawn = draw_items(study, item_set, bound_for(study, {}), rng, taken=(), root=tmp_path)
    assert_predictions_tell_nothing([stimulus.truth for stimulus in drawn.stimuli])


def test_the_groups_of_the_demo_see_the_same_photos() -> None:
    prepared = prepared_study("kim2022-demo")
    by_block: dict[str, set[str | None]] = {}
    for trial in prepared.materials.trials.values():
        if trial.block_id.startswith("task"):
            by_block.setdefault(trial.block_id, set()).add(trial.stimulus_id)
    first, *others = by_block.values()
    assert len(first) == 6
    assert others == [first] * 3


def test_the_demo_is_rehearsed_out_of_the_box(tmp_path: Path) -> None:
    shown = understudy("rehearse", "kim2022-demo", "--people", 24, "--seed", 1, "--out", tmp_path / "run", "--json")
    assert shown.code == 0, shown.err
    findings = Findings.model_validate(json.loads(shown.out))
    assert findings.flow is not None
    assert {row.hypothesis_id for row in findings.findings} >= {
        "right_believed",
        "wrong_recognised",
        "distinction_right",
    }
