"""Pictures as items: only the drawn ones are read and published, none twice, and no more of a large pool than it takes."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.playing import stage, study_of
from tests.small_studies import RIGHT_OR_WRONG
from understudy.errors import MaterialsError
from understudy.prepare import Prepared, prepare, write_prepared
from understudy.roles import Pixels
from understudy.schema import Study
from understudy.sources.picture_pools import ArrayPool
from understudy.sources.pictures import picture_from_pixels

ROOT = Path(__file__).parents[2]
SHAPES = {"name": "drawn_shapes"}
TINTED = {"name": "drawn_shapes", "params": {"is_tinted": True}}
ARRAY = {"name": "picture_array", "params": {"path": "pictures.npz"}}


def study_with(*item_sets: dict[str, Any]) -> Study:
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG]}}
    stages = [{**stage(f"show-{one['name']}", one["name"]), "task": task} for one in item_sets]
    return study_of(*stages, item_sets=[*item_sets])


def array_in(folder: Path, n: int = 40, *, n_twins: int = 0) -> Path:
    pictures = np.random.default_rng(1).integers(256, size=(n, 4, 4, 3), dtype=np.uint8)
    pictures[n - n_twins :] = pictures[0]
    np.savez(folder / "pictures.npz", pictures=pictures, labels=np.arange(n) % 2)
    return folder


def images(prepared: Prepared, block_id: str) -> list[str]:
    return [
        str(trial.params["content"]["image"])  # type: ignore[index, call-overload]
        for trial in prepared.materials.trials.values()
        if trial.block_id == block_id
    ]


@pytest.mark.parametrize("dataset", [SHAPES, TINTED, ARRAY], ids=["grey", "tinted", "array"])
def test_ten_stratified_pictures_publish_ten_files(dataset: Any, tmp_path: Path) -> None:
    study = study_with({"name": "ten", "n_items": 10, "strata": ["label"], "dataset": dataset})
    prepared = prepare(study, array_in(tmp_path))
    folder = write_prepared(prepared, tmp_path / "out")
    published = sorted(path.name for path in (folder / "public" / "assets").iterdir())
    assert published == sorted(set(images(prepared, "show-ten")))
    assert len(published) == 10


def test_pictures_of_a_pool_are_balanced_and_apart(tmp_path: Path) -> None:
    first = {"name": "first", "n_items": 10, "strata": ["label"], "dataset": ARRAY}
    second = {"name": "second", "n_items": 30, "strata": ["label"], "apart_from": ["first"], "dataset": ARRAY}
    prepared = prepare(study_with(first, second), array_in(tmp_path))
    shown = images(prepared, "show-first") + images(prepared, "show-second")
    assert len(set(shown)) == 40
    labels = Counter((trial_id.split(".")[0], one["label"]) for trial_id, one in prepared.key.strata.items())
    assert set(labels.values()) == {5, 15}


def test_the_same_picture_is_never_drawn_twice(tmp_path: Path) -> None:
    study = study_with({"name": "many", "n_items": 30, "dataset": ARRAY})
    prepared = prepare(study, array_in(tmp_path, 40, n_twins=10))
    assert len(set(images(prepared, "show-many"))) == 30


def test_twins_do_not_make_up_for_missing_pictures(tmp_path: Path) -> None:
    study = study_with({"name": "many", "n_items": 35, "dataset": ARRAY})
    with pytest.raises(MaterialsError, match="'many' wants 35 items"):
        prepare(study, array_in(tmp_path, 40, n_twins=10))


def test_only_drawn_pictures_are_read_where_no_model_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = ArrayPool.read

    def noted(pool: ArrayPool, indices: Sequence[int]) -> Pixels:
        asked.extend(indices)
        return read(pool, indices)

    monkeypatch.setattr(ArrayPool, "read", noted)
    prepare(study_with({"name": "ten", "n_items": 10, "strata": ["label"], "dataset": ARRAY}), array_in(tmp_path, 4000))
    assert len(set(asked)) == 10


def test_ids_of_pictures_do_not_depend_on_their_file(tmp_path: Path) -> None:
    array_in(tmp_path)
    with np.load(tmp_path / "pictures.npz") as held:
        for number, (pixels, label) in enumerate(zip(held["pictures"], held["labels"], strict=True)):
            (tmp_path / "photos" / str(label)).mkdir(parents=True, exist_ok=True)
            content = picture_from_pixels(pixels).content
            (tmp_path / "photos" / str(label) / f"{number}.png").write_bytes(content)
    photos = {"name": "picture_folder", "params": {"folder": "photos"}}
    one, other = (
        prepare(study_with({"name": "all", "n_items": 40, "dataset": dataset}), tmp_path).materials
        for dataset in (ARRAY, photos)
    )
    assert {trial.stimulus_id for trial in one.trials.values()} == {
        trial.stimulus_id for trial in other.trials.values()
    }


def cost_of(n: int, folder: Path) -> dict[str, Any]:
    """Prepare from a pool in a process of its own, and return what it took."""
    said = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "picture_pool.py"), str(n), str(folder)],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    found: dict[str, Any] = json.loads(said.stdout)
    return found


@pytest.mark.slow
def test_pictures_read_grow_with_the_pool_and_no_faster(tmp_path: Path) -> None:
    small, large = (cost_of(n, tmp_path / str(n))["n_read"] for n in (2_000, 4_000))
    assert 2_000 <= small <= 2_000 + 60
    assert large <= 2 * small


@pytest.mark.parametrize(
    ("n", "peak_bytes"),
    [pytest.param(20_000, 4e8, marks=pytest.mark.slow), pytest.param(200_000, 1e9, marks=pytest.mark.thorough)],
)
def test_large_pools_fit_into_little_memory(n: int, peak_bytes: float, tmp_path: Path) -> None:
    cost = cost_of(n, tmp_path)
    assert cost["peak_bytes"] < peak_bytes
    assert cost["n_files"] == 10
    assert cost["n_read"] <= n + 60
