"""Every registered dataset, ours or from another package, keeps these promises."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.case_files import write_adult, write_polarity
from tests.hase_sheets import write_sheets
from tests.photo_files import write_pets
from understudy import registry
from understudy.datasets import CodedTable
from understudy.errors import MaterialsError, UnknownName
from understudy.roles import Dataset, Sample, Variables
from understudy.schema import Ref
from understudy.sources.pictures import picture_from_pixels

N_FINITE = 30
LISTED = [{"content": {"name": f"case {k}"}, "attributes": {"label": "AB"[k % 2]}} for k in range(N_FINITE)]
NEEDED: dict[str, dict[str, Any]] = {
    "adult": {"folder": "adult"},
    "agreed_cases": {
        "source": "income_cases",
        "models": [
            {"name": "trained_classifier", "params": {"name": "income-mlp"}},
            {"name": "trained_prototypes", "params": {"name": "income-prototypes"}},
        ],
    },
    "coded_table": {"path": "items.csv", "features": ["name"], "label": "label"},
    "counterfactuals": {
        "source": "income_cases",
        "model": {"name": "trained_classifier", "params": {"name": "income-mlp"}},
    },
    "creatures": {"n": N_FINITE, "edge": 16},
    "fashion_mnist": {"folder": "digits"},
    "hase_stimuli": {"domain": "text", "folder": "sheets"},
    "listed": {"items": LISTED},
    "mnist": {"folder": "digits"},
    "oxford_pets": {"folder": "pets", "part": "all"},
    "picture_array": {"path": "pictures.npz"},
    "picture_folder": {"folder": "photos"},
    "reconstruction": {"decoder": "practice-disc"},
    "rt_polarity": {"folder": "rt-polarity"},
    "single_dial": {"decoder": "practice-disc"},
    "table_file": {"path": "items.csv", "shown": ["name"], "attributes": ["label"]},
    "text_table": {"path": "items.csv", "text": "name"},
}
every = pytest.mark.parametrize("name", registry.names("datasets"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [f"case {k},{'AB'[k % 2]}" for k in range(N_FINITE)]
    (tmp_path / "items.csv").write_text("\n".join(["name,label", *rows]), encoding="utf-8")
    write_sheets(tmp_path / "sheets")
    (tmp_path / "digits").mkdir()
    for part in ("train", "t10k"):
        pictures = np.random.default_rng(1).integers(256, size=(N_FINITE, 28, 28), dtype=np.uint8)
        write_idx(tmp_path / "digits" / f"{part}-images-idx3-ubyte", pictures)
        write_idx(tmp_path / "digits" / f"{part}-labels-idx1-ubyte", np.arange(N_FINITE, dtype=np.uint8) % 10)
    write_photos(tmp_path)
    write_pets(tmp_path / "pets", n_each=8)
    write_adult(tmp_path / "adult")
    write_polarity(tmp_path / "rt-polarity")
    return tmp_path


def write_idx(path: Path, values: npt.NDArray[np.uint8]) -> None:
    path.write_bytes(
        b"\x00\x00\x08" + bytes([values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape) + values.tobytes()
    )


def write_photos(root: Path) -> None:
    pictures = np.random.default_rng(1).integers(256, size=(N_FINITE, 8, 8, 3), dtype=np.uint8)
    np.savez(root / "pictures.npz", pictures=pictures, labels=np.arange(N_FINITE) % 2)
    for k, pixels in enumerate(pictures):
        (root / "photos" / "AB"[k % 2]).mkdir(parents=True, exist_ok=True)
        (root / "photos" / "AB"[k % 2] / f"{k}.png").write_bytes(picture_from_pixels(pixels).content)


def dataset(name: str, root: Path) -> Dataset:
    params = dict(NEEDED.get(name, {}))
    params.update({key: str(root / params[key]) for key in ("path", "folder") if key in params})
    made: Dataset = registry.create("datasets", Ref(name=name, params=params))
    return made


def draw(name: str, root: Path, n: int, seed: int = 1) -> Sample:
    return dataset(name, root).draw(n, np.random.default_rng(seed))


@every
@pytest.mark.parametrize("n", [0, 1, 7, N_FINITE, 200])
def test_as_many_items_come_as_are_wanted_or_as_there_are(name: str, n: int, root: Path) -> None:
    n_drawn = len(draw(name, root, n).contents)
    assert n_drawn == n or N_FINITE <= n_drawn < n


@every
@pytest.mark.parametrize("n", [1, 7, 200])
def test_every_attribute_and_input_is_there_for_every_item(name: str, n: int, root: Path) -> None:
    sample = draw(name, root, n)
    assert {len(values) for values in sample.attributes.values()} <= {len(sample.contents)}
    assert sample.inputs is None or sample.inputs.shape[0] == len(sample.contents)
    assert sample.pictures is None or sample.pictures.shape[0] == len(sample.contents)


@every
def test_the_same_randomness_draws_the_same_items_and_other_randomness_others(name: str, root: Path) -> None:
    first, again, other = (draw(name, root, 12, seed) for seed in (1, 1, 2))
    assert (first.contents, first.attributes) == (again.contents, again.attributes)
    assert first.contents != other.contents


@every
def test_items_and_what_is_true_of_them_can_be_written_as_json(name: str, root: Path) -> None:
    sample = draw(name, root, 10)
    assert json.loads(json.dumps(list(sample.contents), allow_nan=False)) == list(sample.contents)
    plain = {key: list(values) for key, values in sample.attributes.items()}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


@pytest.mark.parametrize("name", ["listed", "table_file"])
def test_a_finite_dataset_gives_no_item_twice_and_keeps_what_belongs_together(name: str, root: Path) -> None:
    sample = draw(name, root, N_FINITE)
    names = [str(content["name"]) for content in sample.contents]
    assert len(set(names)) == N_FINITE
    assert all(
        label == "AB"[int(one.split()[1]) % 2] for one, label in zip(names, sample.attributes["label"], strict=True)
    )


def test_a_listed_item_without_an_attribute_of_the_others_is_refused() -> None:
    items = [*LISTED, {"content": {"name": "bare"}}]
    with pytest.raises(UnknownName, match=r"item 31 has no attribute 'label', which others have"):
        registry.create("datasets", Ref(name="listed", params={"items": items}))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"path": "nowhere.csv"}, "Give the path of a CSV file"),
        ({"shown": ["title"]}, "has no column 'title'.*Its columns are: name, label"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(params: dict[str, Any], words: str, root: Path) -> None:
    fitting = {**NEEDED["table_file"], **params}
    made: Dataset = registry.create(
        "datasets", Ref(name="table_file", params={**fitting, "path": str(root / fitting["path"])})
    )
    with pytest.raises(MaterialsError, match=words):
        made.draw(3, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"path": "nowhere.csv"}, "Items cannot be read from .* Give the path of a CSV file"),
        ({"features": ["title"]}, "has no column 'title'.*Its columns are: name, label"),
        ({"path": "wide.csv"}, "'name' of .* has more than 50 values. List columns of numbers under `numbers`"),
        ({"numbers": ["name"]}, "'name' of .* is declared as numbers, but contains '"),
        ({"numbers": ["age"]}, "'age' of `numbers` is not a feature. Features are: name"),
        ({"path": "fine.csv", "numbers": ["name"]}, "'name' of .* has more than 1,000 different numbers. Round them"),
    ],
)
def test_a_table_that_cannot_be_coded_is_refused(params: dict[str, Any], words: str, root: Path) -> None:
    (root / "wide.csv").write_text("\n".join(["name,label", *(f"case {k},A" for k in range(51))]), encoding="utf-8")
    (root / "fine.csv").write_text("\n".join(["name,label", *(f"{k / 7},A" for k in range(1001))]), encoding="utf-8")
    fitting = {**NEEDED["coded_table"], **params}
    made: Dataset = registry.create(
        "datasets", Ref(name="coded_table", params={**fitting, "path": str(root / fitting["path"])})
    )
    with pytest.raises(MaterialsError, match=words):
        made.draw(3, np.random.default_rng(1))


def test_codes_of_a_table_stand_for_what_is_shown(root: Path) -> None:
    sample = draw("coded_table", root, N_FINITE)
    assert isinstance(sample.legend, Variables)
    assert sample.inputs is not None
    shown = [sample.legend.values[0][int(code)] for code in sample.inputs[:, 0]]
    assert [content["name"] for content in sample.contents] == shown


def test_numbers_of_a_table_are_ordered_by_size_and_rows_by_the_file(tmp_path: Path) -> None:
    rows = [f"{number},{'yes' if number > 40 else 'no'}" for number in (*range(100, 0, -1), 2.5)]
    (tmp_path / "ages.csv").write_text("\n".join(["age,old", *rows, ",no"]), encoding="utf-8")
    sample = CodedTable(path=str(tmp_path / "ages.csv"), features=("age",), label="old", numbers=("age",)).whole()
    assert isinstance(sample.legend, Variables)
    assert sample.legend.values[0][:5] == ("", "1", "2", "2.5", "3")
    assert [content["age"] for content in sample.contents[:2]] == ["100", "99"]
    assert sample.attributes["label"][-3:] == ["no", "no", "no"]


def test_pictures_are_served_under_their_content(root: Path) -> None:
    sample = draw("dsprites", root, 3)
    assert [content["image"] for content in sample.contents] == list(sample.assets)
    assert all(content.startswith(b"\x89PNG") for content in sample.assets.values())


def test_labels_belong_to_their_pictures(root: Path) -> None:
    every_label, some = (labels_by_picture(draw("mnist", root, n, seed=n)) for n in (N_FINITE, 7))
    assert some.items() <= every_label.items()
    assert len(set(every_label.values())) == 10


def labels_by_picture(sample: Sample) -> dict[str, str]:
    pictures = [str(content["image"]) for content in sample.contents]
    return dict(zip(pictures, map(str, sample.attributes["label"]), strict=True))
