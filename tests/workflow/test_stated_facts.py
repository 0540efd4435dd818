"""What people are told about a model is compared with the model."""

from pathlib import Path
from typing import Any

import pytest

from tests.protocols.kim2022.stand_ins import stand_in
from understudy.check.model_facts import stated_sentences
from understudy.protocols.kim2022.study import Kim2022, kim2022
from understudy.protocols.kim2022.variants import Method
from understudy.schema import Ref


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("photos")


def said(root: Path, method: Method = "gradcam", **told: Any) -> list[str]:
    data = stand_in(root, method)._replace(**told)
    return stated_sentences(kim2022(method=method, task="agreement", data=data, choices=Kim2022(n_sets=2)), root)


def test_what_the_card_says_is_not_mentioned(root: Path) -> None:
    assert said(root, accuracy=72.5) == []


def test_an_accuracy_that_the_card_contradicts_is_one_sentence(root: Path) -> None:
    assert said(root, accuracy=90.0) == [
        "People are told that the model is right for 90% of photos, but its card says 72.5%. Correct the accuracy."
    ]


def test_another_number_of_classes_is_one_sentence(root: Path) -> None:
    assert said(root, n_classes=200) == [
        "People are told that the model knows 200 classes, but it has 6. Correct n_classes."
    ]


@pytest.mark.parametrize(("accuracy", "n_sentences"), [(66.0, 0), (90.0, 1)])
def test_a_model_without_a_card_is_tried_on_photos_of_the_study(accuracy: float, n_sentences: int, root: Path) -> None:
    stand_in(root, "gradcam")
    model = Ref(
        name="onnx_classifier",
        params={"path": "gradcam/model.onnx", "labels": ["wren", "robin", "finch", "swift", "heron", "stork"]},
    )
    found = said(root, accuracy=accuracy, model=model)
    assert len(found) == n_sentences
    assert all("on 150 photos of the study it is right for" in sentence for sentence in found)


@pytest.mark.parametrize("method", ["gradcam", "protopnet"])
def test_photos_of_a_class_that_the_model_does_not_have_are_counted(method: Method, tmp_path: Path) -> None:
    stand_in(tmp_path, method)
    (tmp_path / "photos" / "wren").rename(tmp_path / "photos" / "Wren")
    [sentence] = said(tmp_path, method, accuracy=72.5)
    assert sentence.startswith(
        "25 photos have the label 'Wren', which the model does not have among its classes (wren, "
    )
