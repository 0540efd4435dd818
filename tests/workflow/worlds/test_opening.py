"""Worlds and models are found as a user names them, and what cannot be used is refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest

from tests.workflow.worlds.picture_files import write_reddener, write_table_model
from tests.workflow.worlds.small_world import WORLD
from understudy.actions.worlds import audited_world, contact_sheet, rows_by_class, world_from_source, write_sheet
from understudy.errors import MaterialsError, UnknownName
from understudy.models import OnnxClassifier
from understudy.models.picture_models import picture_model
from understudy.worlds.sixt2022 import sixt2022
from understudy.worlds.world import toml_from_world


def test_a_world_is_a_name_a_toml_file_or_a_python_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(toml_from_world(WORLD))
    code = "from understudy.worlds.sixt2022 import sixt2022\nworld = sixt2022()\nother = world\n"
    (tmp_path / "mine.py").write_text(code)
    assert world_from_source("sixt2022") == sixt2022()
    assert world_from_source(str(tmp_path / "mine.toml")) == WORLD
    assert world_from_source(str(tmp_path / "mine.py")) == world_from_source(f"{tmp_path / 'mine.py'}:other")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("number = 1", "has no world 'world'. Assign one: world = World"),
        ("from understudy.worlds.sixt2022 import sixt2022\nmine = sixt2022()", r"has no world 'world'. Give .*:mine"),
        ("raise RuntimeError('no luck')", "cannot be run: no luck"),
        ("def", "cannot be run: invalid syntax"),
    ],
)
def test_a_python_file_without_a_world_is_refused(tmp_path: Path, code: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(MaterialsError, match=words):
        world_from_source(str(tmp_path / "mine.py"))


def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="is not a file"):
        world_from_source(str(tmp_path / "none.py"))
    with pytest.raises(UnknownName, match=r"'twentyfour' is not a world. Choose from: sixt2022"):
        world_from_source("twentyfour")


@pytest.mark.parametrize("ends", ["logits", "probabilities"])
def test_a_file_without_a_card_says_its_size_and_its_outputs(tmp_path: Path, ends: str) -> None:
    found = picture_model(str(write_reddener(tmp_path / "mine.onnx", ends=ends)), WORLD)
    assert isinstance(found.model, OnnxClassifier)
    assert (found.model.outputs, found.model.labels, found.edge, found.name) == (ends, WORLD.classes, 16, "mine")


def test_logits_of_a_file_are_not_cut_off(tmp_path: Path) -> None:
    found = picture_model(str(write_reddener(tmp_path / "sure.onnx", scale=400)), WORLD)
    rows = np.zeros((1, 3, 16, 16))
    rows[:, 0] = 1
    assert isinstance(found.model, OnnxClassifier)
    assert found.model.margins(rows) == pytest.approx([400])
    sure = OnnxClassifier(
        path=str(write_reddener(tmp_path / "p.onnx", ends="probabilities", scale=2)), labels=("a", "b")
    )
    assert sure.margins(rows) == pytest.approx([2], abs=1e-5)


def test_a_file_for_any_size_takes_the_size_that_is_asked_for(tmp_path: Path) -> None:
    path = write_reddener(tmp_path / "any.onnx", (3, "height", "width"))
    assert picture_model(str(path), WORLD).edge == 64
    assert picture_model(str(path), WORLD, edge=24).edge == 24


@pytest.mark.parametrize(
    ("size", "edge", "words"),
    [
        ((1, 16, 16), None, "takes pictures with 1 channels, and a world draws 3"),
        ((3, 16, 24), None, "takes pictures of 24 x 16 pixels, and a world draws squares"),
        ((3, 16, 16), 32, "takes pictures of 16 x 16 pixels, but 32 were asked for"),
    ],
)
def test_a_model_with_another_input_is_refused(
    tmp_path: Path, size: tuple[int, int, int], edge: int | None, words: str
) -> None:
    path = write_reddener(tmp_path / "odd.onnx", size)
    with pytest.raises(MaterialsError, match=words):
        picture_model(str(path), WORLD, edge=edge)


def test_a_model_of_tables_and_a_file_that_is_no_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MaterialsError, match="which are not pictures"):
        picture_model(str(write_table_model(tmp_path / "table.onnx")), WORLD)
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(MaterialsError, match="is not an ONNX model that can be run"):
        picture_model(str(tmp_path / "text.onnx"), WORLD)
    with pytest.raises(MaterialsError, match="is not a file"):
        picture_model(str(tmp_path / "none.onnx"), WORLD)


def test_a_classifier_of_tables_is_refused_and_a_recipe_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_MODELS", str(tmp_path))
    with pytest.raises(MaterialsError, match="income-mlp is not a classifier of pictures"):
        picture_model("income-mlp", WORLD)
    with pytest.raises(MaterialsError, match="Make it with `understudy train sixt2022/cnn-64`"):
        picture_model("cnn-64", WORLD)


def test_a_model_of_three_classes_is_refused_for_two(tmp_path: Path) -> None:
    three = WORLD.model_copy(update={"classes": ("cold", "warm", "hot")})
    with pytest.raises(MaterialsError, match="for 4 inputs and 3 labels"):
        picture_model(str(write_reddener(tmp_path / "two.onnx")), three)


def test_a_group_must_name_attributes() -> None:
    with pytest.raises(MaterialsError, match="The group 'posture' has 'tail', which is not an attribute"):
        contact_sheet_of(groups={"posture": ("tail",)})
    with pytest.raises(MaterialsError, match="The group 'posture' is empty"):
        contact_sheet_of(groups={"posture": ()})


def contact_sheet_of(**changes: object) -> object:
    world = WORLD.model_copy(update=changes)
    return rows_by_class(world, 2, 1)


def test_a_sheet_shows_as_many_pictures_of_each_class(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="needs the extra scenes")
    table = rows_by_class(WORLD, 3, 1)
    assert table["class"].tolist() == ["cold"] * 3 + ["warm"] * 3
    sheet = contact_sheet(WORLD, table, n_columns=3, edge=16)
    assert sheet.shape == (2 * 20 + 4, 3 * 20 + 4, 3)
    assert (sheet[:4] == 255).all()
    assert write_sheet(sheet, tmp_path / "sheet.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(MaterialsError, match=r"ends in '.jpg'"):
        write_sheet(sheet, tmp_path / "sheet.jpg")


def test_a_class_that_is_too_rare_for_a_sheet_is_named() -> None:
    rare = WORLD.model_copy(update={"prior": (0.9999, 0.0001)})
    with pytest.raises(MaterialsError, match="The class 'warm' is too rare to fill a sheet"):
        rows_by_class(rare, 5, 1)


def test_the_audit_of_the_papers_world_finds_its_best_rules() -> None:
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    found = audited_world(sixt2022(), 0, n_train=2000, n_test=500)
    by_rule = {rule.attributes: rule.accuracy for rule in found.rules}
    assert by_rule["legs",] == pytest.approx(0.962, abs=0.005)
    assert by_rule["legs", "hue"] == pytest.approx(0.994, abs=0.003)
    assert found.rules[0].attributes == ("legs", "hue")
    assert found.trees.accuracy > 0.95
