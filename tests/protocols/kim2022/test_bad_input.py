"""Bad input to a study after Kim et al. (2022): one sentence that says what was found, what is allowed and what to do."""

import re
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from tests.protocols.kim2022.stand_ins import LABELS, constant_network, stand_in
from tests.shell import understudy
from understudy.actions.study_files import write_study
from understudy.errors import MaterialsError, StudyError
from understudy.prepare import prepare
from understudy.protocols.kim2022.photos import Photos
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import Task
from understudy.schema import Ref, Study


def study_of(root: Path, task: Task = "agreement", *, n_sets: int = 2, **changed: Any) -> Study:
    data = stand_in(root, "gradcam")._replace(**changed)
    return kim2022(method="gradcam", task=task, data=data, choices=Kim2022(n_sets=n_sets))


@pytest.mark.parametrize("task", ["agreement", "distinction"])
def test_fewer_than_four_classes_are_refused_in_every_task(task: Task, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="The model knows 3 species, and these studies need at least 4: "):
        study_of(tmp_path, task, n_classes=3)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"n_sets": 0}, "n_sets is 0. Give how many sets of photos there are, a whole number from 1 to 1,000; the paper has 10."),
        ({"n_sets": "two"}, "n_sets is 'two'. Give how many sets"),
        ({"per_set": 2.5}, "per_set is 2.5. Give how many people see each set"),
        ({"start": "middle"}, "start is 'middle'. Choose where the sliders start: blank, random, accuracy."),
        ({"shows_tree": "no"}, "shows_tree is 'no'. Choose True or False."),
        ({"seed": None}, "seed is None. Give a whole number from 0 on."),
    ],
)  # fmt: skip
def test_a_choice_that_no_study_can_have_is_one_sentence(
    choices: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(StudyError, match=re.escape(sentence)):
        kim2022(method="gradcam", task="agreement", data=stand_in(tmp_path, "gradcam"), choices=Kim2022(**choices))


def test_choices_that_are_none_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        StudyError, match=r"choices is None\. Give Kim2022\(n_sets=, per_set=, \.\.\.\), or leave it out"
    ):
        kim2022(method="gradcam", task="agreement", data=stand_in(tmp_path, "gradcam"), choices=cast("Kim2022", None))


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"accuracy": "high"}, "accuracy is 'high'. Give how many per cent"),
        ({"accuracy": 855}, "accuracy is 855. Give how many per cent of photos the model gets right, from 0 to 100."),
        ({"n_classes": None}, "n_classes is None. Give how many classes the model knows, as a whole number."),
        ({"dataset": "photos"}, "dataset is 'photos'. Name an entry of the catalogue, such as Ref(name=..., params={...})."),
    ],
)  # fmt: skip
def test_photos_that_do_not_fit_are_one_sentence(changed: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=re.escape(sentence)):
        study_of(tmp_path, **changed)


@pytest.mark.parametrize(("data", "said"), [(None, "None"), ("photos", "'photos'"), ({}, "a dict")])
def test_a_study_without_photos_is_one_sentence(data: Any, said: str) -> None:
    with pytest.raises(StudyError, match=f"data is {said}, and a study needs photos with a model. Give Photos"):
        kim2022(method="gradcam", task="agreement", data=data)


def photos_called_as_answered(root: Path) -> Photos:
    """Leave only photos that the stand-in is right about."""
    data = stand_in(root, "gradcam")
    for path in (root / "photos").rglob("*.png"):
        if int(path.stem) % 3 == 0:
            path.unlink()
    return data


def test_a_model_that_is_never_wrong_is_one_sentence_that_says_so(tmp_path: Path) -> None:
    data = photos_called_as_answered(tmp_path)
    study = kim2022(method="gradcam", task="agreement", data=data, choices=Kim2022(n_sets=2))
    with pytest.raises(
        MaterialsError, match=r"^The model is right about all 100 items, .* or a model that makes mistakes"
    ):
        prepare(study, tmp_path)


def test_a_model_that_is_never_right_is_one_sentence_that_says_so(tmp_path: Path) -> None:
    data = photos_called_as_answered(tmp_path)
    for name in LABELS:
        (tmp_path / "photos" / name).rename(tmp_path / "photos" / f"was {name}")
    for name, other in zip(LABELS, (*LABELS[1:], LABELS[0]), strict=True):
        (tmp_path / "photos" / f"was {name}").rename(tmp_path / "photos" / other)
    study = kim2022(method="gradcam", task="agreement", data=data, choices=Kim2022(n_sets=2))
    with pytest.raises(MaterialsError, match=r"^The model is wrong about all 100 items"):
        prepare(study, tmp_path)


def test_a_model_with_one_answer_is_one_sentence_that_names_it(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    path = tmp_path / "gradcam" / "model.onnx"
    path.write_bytes(constant_network())
    with pytest.raises(
        MaterialsError, match=r"The model answers 'wren' to all of them\. Bind a model that gives every answer"
    ):
        prepare(study, tmp_path)


def checked(study: Study, folder: Path) -> str:
    write_study(study, folder / "study.toml")
    shown = understudy("check", folder / "study.toml")
    assert shown.code == 0, shown.err
    return shown.out


def test_grey_photos_are_one_sentence_of_a_check_unless_they_are_meant(tmp_path: Path) -> None:
    study = study_of(tmp_path)
    for path in (tmp_path / "photos").rglob("*5.png"):
        with Image.open(path) as opened:
            opened.convert("L").save(path)
    assert re.search(
        r"Warning: \d+ of the 22 photos that people see have no colour.*Leave such photos out", checked(study, tmp_path)
    )
    meant = Ref(name="picture_folder", params={"folder": "photos", "allows_monochrome": True})
    assert "no colour" not in checked(study_of(tmp_path, dataset=meant), tmp_path)
