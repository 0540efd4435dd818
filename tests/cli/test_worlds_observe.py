"""`understudy worlds observe`: counterfactuals are checked before a study."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.shell import understudy
from tests.workflow.worlds.test_observer_check import rows_that_redden
from understudy.inference.cards import ObserverCard, card_from_details
from understudy.inference.model_folders import write_model
from understudy.protocols.sixt2022.printed import TABLE_6
from understudy.schema import GridFile
from understudy.schema.explanations.pictures import RecordedCell
from understudy.sources.grids import picture_name, write_grid_folder


def observer_file(folder: Path, names: tuple[str, ...] = ("red", "green", "blue")) -> Path:
    """Write an observer that reads the mean of a channel as each attribute, one channel after the other."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.array([[float(number % 3 == channel) for number in range(len(names))] for channel in range(3)])
    graph = helper.make_graph(
        [
            helper.make_node("GlobalAveragePool", ["pictures"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["means"]),
            helper.make_node("MatMul", ["means", "w"], ["attributes"]),
        ],
        "observer",
        [helper.make_tensor_value_info("pictures", kind, ["n", 3, 8, 8])],
        [helper.make_tensor_value_info("attributes", kind, ["n", len(names)])],
        [onnx.numpy_helper.from_array(weights.astype(np.float32), "w")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    card = ObserverCard(
        name="channels",
        size=(3, 8, 8),
        attributes=names,
        spreads=(0.25,) * len(names),
        squared_errors=(0.001, 0.06, *(0.001,) * (len(names) - 2)),
    )
    return write_model(card_from_details(card), made.SerializeToString(), folder)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    np.save(tmp_path / "rows.npy", rows_that_redden())
    return tmp_path / "rows.npy"


def test_rows_that_move_what_they_should_pass(tmp_path: Path, rows: Path) -> None:
    shown = understudy("worlds", "observe", rows, "--observer", observer_file(tmp_path), "--moves", "red")
    assert (shown.code, shown.err) == (0, "")
    assert "moves as it should" in shown.out
    assert "Not decided: green (R² 0.04)" in shown.out
    assert "Passed on 2 of 3 attributes" in shown.out
    assert "paper" not in shown.out


def test_a_folder_with_a_grid_is_checked_as_it_is_shown(tmp_path: Path) -> None:
    rows = rows_that_redden(2)
    cells = tuple(tuple(RecordedCell(file=picture_name(row, column)) for column in range(5)) for row in range(2))
    write_grid_folder(tmp_path / "grid", GridFile(method="made up", rows=cells), list(rows))
    shown = understudy("worlds", "observe", tmp_path / "grid", "--observer", observer_file(tmp_path), "--moves", "red")
    assert (shown.code, shown.err) == (0, "")
    assert "What 2 rows of 5 counterfactuals move" in shown.out


def test_rows_that_move_something_else_end_with_an_error(tmp_path: Path, rows: Path) -> None:
    shown = understudy("worlds", "observe", rows, "--observer", observer_file(tmp_path), "--moves", "green", "--json")
    assert shown.code == 2
    assert json.loads(shown.out)["attributes"][0]["verdict"] == "should stay"
    assert shown.err.splitlines()[0].startswith("red should stay")


def test_attributes_of_the_paper_are_shown_next_to_table_6(tmp_path: Path, rows: Path) -> None:
    observer = observer_file(tmp_path, tuple(TABLE_6))
    shown = understudy("worlds", "observe", rows, "--observer", observer, "--moves", "legs")
    assert "0.662 (0.140)" in shown.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello", "is not a file of numbers, or is damaged. Write it with numpy.save."),
        (None, "is neither a folder nor a file"),
        (np.zeros((2, 2, 8, 8, 3)), "holds float64, and pictures have 8 bits"),
        (np.zeros((2, 2, 9, 9, 3), np.uint8), "looks at pictures of 8 x 8 pixels"),
    ],
)
def test_pictures_that_cannot_be_looked_at_are_refused(
    tmp_path: Path, content: bytes | np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None, said: str
) -> None:
    path = tmp_path / "odd.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, content)
    shown = understudy("worlds", "observe", path, "--observer", observer_file(tmp_path), "--moves", "red")
    assert shown.code == 2
    assert said in shown.err


def test_what_the_observer_cannot_read_does_not_decide(tmp_path: Path, rows: Path) -> None:
    unread = understudy(
        "worlds", "observe", rows, "--observer", observer_file(tmp_path), "--moves", "red", "--moves", "green"
    )
    assert (unread.code, unread.err) == (0, "")
    alone = understudy("worlds", "observe", rows, "--observer", observer_file(tmp_path), "--moves", "green", "--json")
    assert alone.code == 2
    assert "channels cannot read green: it explains less than 50% of the variance" in alone.err


def test_what_should_move_is_said_in_exactly_one_way(tmp_path: Path, rows: Path) -> None:
    observer = observer_file(tmp_path)
    assert "Give either --moves" in understudy("worlds", "observe", rows, "--observer", observer).err
    said = understudy("worlds", "observe", rows, "--observer", observer, "--key", tmp_path / "none.json").err
    assert "is not a file. Write a key with" in said
