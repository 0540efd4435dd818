"""Files that items name: shipped under their digest, and refused in one sentence each when they cannot be."""

import hashlib
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.playing import stage, study_of
from tests.small_studies import RIGHT_OR_WRONG
from understudy.check.study_check import faults_of
from understudy.errors import MaterialsError
from understudy.prepare import prepare
from understudy.schema import Study
from understudy.sources.pictures import picture_from_pixels

PNG = picture_from_pixels(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).content
ADDRESS = f"{hashlib.sha256(PNG).hexdigest()}.png"


def shown(dataset: Any, n_items: int = 1) -> Study:
    task = {"name": "judge", "params": {"questions": [RIGHT_OR_WRONG]}}
    sets = [{"name": "cases", "n_items": n_items, "dataset": dataset}]
    return study_of({**stage("look"), "task": task}, item_sets=sets)


def listed(*paths: str, files: tuple[str, ...] = ("photo",)) -> dict[str, Any]:
    items = [{"content": {"photo": path}} for path in paths]
    return {"name": "listed", "params": {"items": items, "files": [*files]}}


def table(root: Path, *paths: str, files: tuple[str, ...] = ("photo",)) -> dict[str, Any]:
    (root / "data").mkdir(exist_ok=True)
    (root / "data" / "cases.csv").write_text("\n".join(["photo", *paths]), encoding="utf-8")
    return {"name": "table_file", "params": {"path": "data/cases.csv", "shown": ["photo"], "files": [*files]}}


def faults(dataset: Any, root: Path) -> list[str]:
    return [fault for fault in faults_of(shown(dataset), root) if "Hypothesis" not in fault]


def test_a_listed_file_is_shipped_under_its_digest(tmp_path: Path) -> None:
    (tmp_path / "otter.png").write_bytes(PNG)
    prepared = prepare(shown(listed("otter.png")), tmp_path)
    (trial,) = (one for one in prepared.materials.trials.values() if one.block_id == "look")
    assert trial.params["content"] == {"photo": ADDRESS}
    assert prepared.materials.assets == (ADDRESS,)


def test_a_file_of_a_table_is_found_next_to_the_table(tmp_path: Path) -> None:
    dataset = table(tmp_path, "otter.png")
    (tmp_path / "data" / "otter.png").write_bytes(PNG)
    assert faults(dataset, tmp_path) == []
    assert prepare(shown(dataset), tmp_path).materials.assets == (ADDRESS,)


def test_files_of_items_that_are_not_drawn_stay_at_home(tmp_path: Path) -> None:
    for number in range(12):
        pixels = np.full((4, 4, 3), number, dtype=np.uint8)
        (tmp_path / f"{number}.png").write_bytes(picture_from_pixels(pixels).content)
    prepared = prepare(shown(listed(*(f"{number}.png" for number in range(12))), n_items=5), tmp_path)
    assert len(prepared.materials.assets) == 5


def absent(_: Path) -> str:
    return "otter.png"


def absolute(root: Path) -> str:
    (root / "otter.png").write_bytes(PNG)
    return str(root / "otter.png")


def above(root: Path) -> str:
    (root.parent / "otter.png").write_bytes(PNG)
    return "../otter.png"


def linked(root: Path) -> str:
    (root.parent / "secret.png").write_bytes(PNG)
    (root / "otter.png").symlink_to(root.parent / "secret.png")
    return "otter.png"


def cut_off(root: Path) -> str:
    (root / "otter.png").write_bytes(PNG[:-30])
    return "otter.png"


def mistaken(root: Path) -> str:
    (root / "otter.jpg").write_bytes(PNG)
    return "otter.jpg"


REFUSED = [
    (absent, "is not a file there. Put it there, or correct the path."),
    (absolute, "is an absolute path. Write the path from the folder of the study."),
    (above, "leads out of its folder by '..'. Put the file into the folder."),
    (linked, "is reached by a symbolic link that leads out of its folder. Put the file itself into the folder."),
    (cut_off, "cannot be read as a picture: it is cut off, damaged or of another kind. Replace the file."),
    (mistaken, "is a PNG picture under the name of a JPEG. Rename it, or convert it."),
]
refused = pytest.mark.parametrize(("make", "said"), REFUSED, ids=[make.__name__ for make, _ in REFUSED])


@refused
@pytest.mark.parametrize("kind", ["listed", "table"])
def test_check_refuses_a_file_in_one_sentence(
    make: Callable[[Path], str], said: str, kind: str, tmp_path: Path
) -> None:
    root = tmp_path / "study"
    (root / "data").mkdir(parents=True)
    path = make(root if kind == "listed" else root / "data")
    dataset, item = (listed(path), "item 1") if kind == "listed" else (table(root, path), "row 2")
    assert faults(dataset, root) == [f"Item set 'cases', {item}, 'photo': {path!r} {said}"]


@refused
def test_preparing_refuses_it_too(make: Callable[[Path], str], said: str, tmp_path: Path) -> None:
    root = tmp_path / "study"
    root.mkdir()
    path = make(root)
    with pytest.raises(MaterialsError) as found:
        prepare(shown(listed(path)), root)
    assert str(found.value) == f"An item has {path!r} in 'photo', which {said}"


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "fine.png").write_bytes(PNG)
    found = faults(listed("a.png", "fine.png", "../b.png"), tmp_path)
    assert [fault.split(",")[1] for fault in found] == [" item 1", " item 3"]


def test_a_picture_that_is_not_declared_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "otter.png").write_bytes(PNG)
    assert faults(listed("otter.png", files=()), tmp_path) == [
        "Item set 'cases', item 1, 'photo': 'otter.png' looks like a picture, but is not shipped with the study. "
        "Declare 'photo' under `files` of the dataset."
    ]


def test_a_column_under_files_must_be_shown(tmp_path: Path) -> None:
    (fault,) = faults(table(tmp_path, "otter.png", files=("map",)), tmp_path)
    assert "column 'map' is declared under files, but not shown. Shown: photo." in fault


def test_many_faults_are_counted_in_the_end(tmp_path: Path) -> None:
    found = faults(listed(*(f"{number}.png" for number in range(25))), tmp_path)
    assert len(found) == 21
    assert found[-1] == "Item set 'cases', 5 more files have such faults."


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (absolute, "which is an absolute path"),
        (above, "which leads out of its folder by '..'"),
        (linked, "which is reached by a symbolic link that leads out of its folder"),
    ],
)
def test_files_of_pages_are_held_to_the_same_rules(make: Callable[[Path], str], said: str, tmp_path: Path) -> None:
    root = tmp_path / "study"
    root.mkdir()
    task = {"name": "instructions", "params": {"pages": ["Look."], "assets": [make(root)]}}
    screen = {"kind": "screen", "block_id": "read", "purpose": "instructions", "task": task}
    (fault,) = (one for one in faults_of(study_of(screen, stage("predict")), root) if "'read'" in one)
    assert said in fault


def test_a_link_into_the_data_folder_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    (tmp_path / "study").mkdir()
    (tmp_path / "data" / "otter.png").write_bytes(PNG)
    (tmp_path / "study" / "otter.png").symlink_to(tmp_path / "data" / "otter.png")
    assert faults(listed("otter.png"), tmp_path / "study") == []


def test_pictures_of_pages_are_published_without_metadata(tmp_path: Path) -> None:
    secret, planted = b"52.5200 N", BytesIO()
    text = PngInfo()
    text.add_text("Comment", secret)
    Image.open(BytesIO(PNG)).save(planted, "PNG", pnginfo=text)
    (tmp_path / "map.png").write_bytes(planted.getvalue())
    pages = {"pages": ["Look."], "assets": ["map.png"]}
    screen = {
        "kind": "screen",
        "block_id": "read",
        "purpose": "instructions",
        "task": {"name": "instructions", "params": pages},
    }
    prepared = prepare(study_of(screen, stage("predict")), tmp_path)
    (address,) = prepared.materials.assets
    published = prepared.files[address]
    assert isinstance(published, bytes)
    assert (secret in published, address) == (False, f"{hashlib.sha256(published).hexdigest()}.png")
    # A picture inside the study has its address written there, so that it can only be refused.
    example = {
        "content": {"photo": f"{hashlib.sha256(planted.getvalue()).hexdigest()}.png"},
        "picture": b64encode(planted.getvalue()).decode(),
    }
    screen["task"] = {"name": "instructions", "params": {"pages": ["Look."], "examples": [example]}}
    with pytest.raises(MaterialsError, match="holds more than a picture"):
        prepare(study_of(screen, stage("predict")), tmp_path)
