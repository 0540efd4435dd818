"""Explanations are computed once, come out the same however they are computed, and are kept by all they depend on."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config

from tests.explainers import known_models as known
from tests.explainers.stage import VARIABLES, known_datasets
from tests.playing import stage, study_of
from understudy import registry
from understudy.errors import MaterialsError
from understudy.prepare import Explaining, prepare
from understudy.prepare.explaining import load_explanation, store_explanation
from understudy.roles import Explained, Sample
from understudy.schema import (
    Attribution,
    Explanation,
    GridCell,
    PictureGrid,
    Record,
    ShownPicture,
    Study,
    heatmap_from_arrays,
)

N_ITEMS = 12
PLAIN = Explaining()
WEIGHTS = [0.4 * (-1) ** k for k in range(12)]


@pytest.fixture(autouse=True)
def _known_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield from known_datasets(monkeypatch, known_rows=NamedRows)


class NamedRows(Record):
    """Rows that show their codes; the first ones are the same however many are drawn."""

    def draw(self, n: int, rng: np.random.Generator) -> Sample:
        rows = known.table_rows(300, int(rng.integers(2**31)))[:n]
        contents: list[Any] = [{"codes": [int(code) for code in row]} for row in rows]
        return Sample(contents, {"answer": ["yes"] * n}, rows, legend=VARIABLES)


def explaining_study(n_items: int = N_ITEMS, *, weights: list[float] = WEIGHTS, **settings: Any) -> Study:
    explainer = {"name": "lime", "params": {"background": "known_rows", "n_background": 200, **settings}}
    model = {"name": "linear_classifier", "params": {"weights": weights}}
    return study_of(
        stage("learn", explains=True),
        bindings=[{"model": model, "explainer": explainer}],
        item_sets=[{"name": "cases", "n_items": n_items, "dataset": "known_rows"}],
    )


def said(study: Study, how: Explaining = PLAIN) -> dict[str | None, Explanation | None]:
    return {trial.stimulus_id: trial.explanation for trial in prepare(study, Path(), how).materials.trials.values()}


def counting() -> tuple[list[int], Callable[[int], None]]:
    counted: list[int] = []
    return counted, counted.append


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_processes_change_nothing() -> None:
    alone = said(explaining_study())
    with parallel_config(backend="threading"):
        assert said(explaining_study(), Explaining(n_workers=3)) == alone


def test_a_method_on_trial_explains_a_few_items_as_it_would_all() -> None:
    tried, whole = said(explaining_study(), Explaining(n_tried=2)), said(explaining_study())
    explained = {item: explanation for item, explanation in tried.items() if explanation is not None}
    assert len(explained) == 2
    assert explained == {item: whole[item] for item in explained}


def test_what_is_explained_beside_an_item_changes_nothing() -> None:
    few, many = said(explaining_study(4)), said(explaining_study(N_ITEMS))
    assert few.keys() <= many.keys()
    assert {item: many[item] for item in few} == few


def test_what_is_kept_is_not_computed_again_and_comes_out_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = said(explaining_study())
    first = said(explaining_study(), Explaining(tmp_path))
    monkeypatch.setattr("understudy.explainers.lime.local_linear", None)
    assert said(explaining_study(), Explaining(tmp_path)) == first == bare


@pytest.mark.parametrize(
    "changed",
    [{"n_features": 3}, {"weights": [0.1, *WEIGHTS[1:]]}, {"n_background": 150}],
    ids=["settings", "model", "background"],
)
def test_another_setting_model_or_background_is_another_explanation(tmp_path: Path, changed: dict[str, Any]) -> None:
    said(explaining_study(), Explaining(tmp_path))
    said(explaining_study(**changed), Explaining(tmp_path))
    assert len(files_in(tmp_path)) == 2 * N_ITEMS


def test_a_model_that_answers_otherwise_under_the_same_name_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(explaining_study(), Explaining(tmp_path))
    linear = registry.entry("models", "linear_classifier")
    answer = linear.predict  # type: ignore[attr-defined]
    monkeypatch.setattr(linear, "predict", lambda self, inputs: answer(self, inputs)[:, ::-1])
    said(explaining_study(), Explaining(tmp_path))
    assert len(files_in(tmp_path)) == 2 * N_ITEMS


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    first = said(explaining_study(), Explaining(tmp_path))
    for path in files_in(tmp_path):
        path.write_text('{"kind": "attribution", "payl', encoding="utf-8")
    assert said(explaining_study(), Explaining(tmp_path)) == first
    assert all(json.loads(path.read_text(encoding="utf-8"))["explanation"] for path in files_in(tmp_path))


def test_every_explanation_is_told_of_kept_or_computed(tmp_path: Path) -> None:
    for _ in range(2):
        counted, count = counting()
        said(explaining_study(), Explaining(tmp_path, on_progress=count))
        assert sum(counted) == N_ITEMS


def test_a_kind_that_the_method_does_not_declare_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.entry("explainers", "lime"), "kinds", frozenset({"rule"}))
    with pytest.raises(MaterialsError, match=r"Explainer 'lime' returned .* 'attribution', but declares only rule"):
        said(explaining_study(2))


def test_nothing_but_whole_files_is_left_behind(tmp_path: Path) -> None:
    one = Explained((Attribution(features=("a", "b", "c"), weights=(0.1, -0.0, 1e-7)),))
    for _ in range(3):
        store_explanation(tmp_path, "abcd", one)
    assert load_explanation(tmp_path, "abcd") == one
    assert [path.name for path in files_in(tmp_path)] == ["abcd.json"]


def test_pictures_are_kept_with_the_explanation_that_shows_them(tmp_path: Path) -> None:
    address = f"{hashlib.sha256(b'picture').hexdigest()}.png"
    picture = ShownPicture(file=address, width=2, height=2)
    shown = Explained((heatmap_from_arrays(picture, [np.eye(2)]),), {address: b"picture"})
    store_explanation(tmp_path, "abcd", shown)
    assert load_explanation(tmp_path, "abcd") == shown


def test_an_explanation_whose_picture_is_gone_is_made_again(tmp_path: Path) -> None:
    address = f"{hashlib.sha256(b'picture').hexdigest()}.png"
    grid = PictureGrid(rows=((GridCell(picture=ShownPicture(file=address, width=2, height=2)),),))
    store_explanation(tmp_path, "abcd", Explained((grid,), {address: b"picture"}))
    next(tmp_path.rglob("*.png")).unlink()
    assert load_explanation(tmp_path, "abcd") is None


def test_what_version_0_1_0_kept_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    written = '{"kind":"attribution","payload":{"features":["a"],"weights":[0.5],"toward":"yes"}}'
    (tmp_path / "ab" / "abcd.json").write_text(written, encoding="utf-8")
    assert load_explanation(tmp_path, "abcd") == Explained(
        (Attribution(features=("a",), weights=(0.5,), toward="yes"),)
    )
