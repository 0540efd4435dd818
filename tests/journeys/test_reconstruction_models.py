"""Your own models in the browser: many dials, slow ones, ones without numbers, and your own view."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.dials_hands import DialHands
from tests.journeys.dials_study import dials_study
from tests.journeys.player_stage import served
from understudy.schema import Study

onnx = pytest.importorskip("onnx", reason="writing a model needs onnx")

N_POINTS = 16
SLOWER = """const now = performance.now.bind(performance); let n = 0;
performance.now = () => now() + 20 * (n += 1);"""
BARS = """export default ({ role }) => {
  const element = document.createElement('div');
  element.className = 'tones';
  return { element, draw(values) { element.textContent = role + ' ' + Array.from(values, (one) => one.toFixed(1)).join(' '); },
    content: () => element.textContent };
};"""


def root_model(path: Path, n_dials: int) -> None:
    """Write sqrt((z - .2999)(z - .3001)) of the first dial plus all the others: no number at 0.3."""
    helper: Any = onnx.helper
    held = {
        "first": np.eye(n_dials, 1), "rest": 1 - np.eye(n_dials, 1), "low": np.full((1, 1), 0.2999),
        "high": np.full((1, 1), 0.3001), "ones": np.ones((1, N_POINTS)),
    }  # fmt: skip
    nodes = [
        helper.make_node("MatMul", ["code", "first"], ["z"]),
        helper.make_node("MatMul", ["code", "rest"], ["others"]),
        helper.make_node("Sub", ["z", "low"], ["left"]),
        helper.make_node("Sub", ["z", "high"], ["right"]),
        helper.make_node("Mul", ["left", "right"], ["product"]),
        helper.make_node("Sqrt", ["product"], ["root"]),
        helper.make_node("Add", ["root", "others"], ["height"]),
        helper.make_node("Mul", ["height", "ones"], ["line"]),
    ]
    sides = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", n])
        for name, n in (("code", n_dials), ("line", N_POINTS))
    ]
    tensors = [onnx.numpy_helper.from_array(value.astype(np.float32), name) for name, value in held.items()]
    graph = helper.make_graph(nodes, "decoder", sides[:1], sides[1:], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path.write_bytes(model.SerializeToString())


def own_study(folder: Path, dials: list[dict[str, Any]], n_inputs: int, **dataset: Any) -> Study:
    """A study with one question about a model that lies in a folder."""
    root_model(folder / "own.onnx", n_inputs)
    plain = dials_study(with_practice=False, skip_after_s=0).model_dump(mode="json")
    params = {"file": "own.onnx", "dials": dials, "shape": [N_POINTS], "view": "line", "limits": [0, 8],
              "distance": {"name": "tolerance_band", "params": {"tolerance": 0.001}}, **dataset}  # fmt: skip
    items = {"name": "lines", "n_items": 1, "dataset": {"name": "reconstruction", "params": params}}
    return Study.model_validate({**plain, "name": "own", "item_sets": [items]})


def opened(page: Page, study: Study, folder: Path, act: Any) -> None:
    with served(study, folder / "run", root=folder) as stage:
        page.goto(stage.address)
        hands = DialHands(page, stage)
        hands.go_on()
        hands.drawn()
        act(hands)


TWO: list[dict[str, Any]] = [{}, {"low": 0, "high": 4}]
PAIR = [[[0.6, 1], [0.8, 2]]]


def test_a_setting_without_numbers_is_told_and_left_again(tmp_path: Path, page: Page) -> None:
    def act(hands: DialHands) -> None:
        fault = page.locator(".dial-fault")
        hands.turn(0, 150)
        expect(fault).to_contain_text("Your dials are saved")
        hands.turn(0, 300)
        hands.drawn()
        expect(fault).to_be_hidden()

    opened(page, own_study(tmp_path, TWO, 2, pairs=PAIR), tmp_path, act)


def test_a_slow_model_works_in_a_thread_of_its_own(tmp_path: Path, page: Page) -> None:
    def act(hands: DialHands) -> None:
        before = page.inner_text(".meter-words")
        hands.solve()
        assert (len(page.workers), page.inner_text(".meter-words") == before) == (1, False)

    page.add_init_script(SLOWER)
    opened(page, own_study(tmp_path, TWO, 2, pairs=PAIR), tmp_path, act)


def test_ten_dimensions_in_groups_fit_a_small_window(tmp_path: Path, page: Page) -> None:
    kinds = [{"kind": "discrete", "options": ["a", "b", "c"], "group": "Kind"}] * 2
    dials: list[dict[str, Any]] = [*[{"group": "Look"}] * 4, *[{"group": "Place"}] * 4, *kinds]
    start = [0.6, *[0.0] * 7, 1, 0, 0, 1, 0, 0]
    target = [0.8, *[0.5] * 7, 0, 1, 0, 0, 0, 1]

    def act(hands: DialHands) -> None:
        expect(page.get_by_role("group", name="Look").locator("input.dial")).to_have_count(4)
        assert page.evaluate("document.documentElement.scrollHeight") == 640
        hands.solve()

    page.set_viewport_size({"width": 1024, "height": 640})
    opened(page, own_study(tmp_path, dials, 14, pairs=[[start, target]]), tmp_path, act)


def test_outputs_can_be_drawn_by_a_view_of_ones_own(tmp_path: Path, page: Page) -> None:
    (tmp_path / "tones.js").write_text(BARS, encoding="utf-8")

    def act(hands: DialHands) -> None:
        expect(page.locator(".frame.is-target .tones")).to_contain_text("target 2.5 2.5")
        hands.turn(1, 375)
        expect(page.locator(".frame.is-own .tones")).to_contain_text("own 3.3 3.3")

    opened(page, own_study(tmp_path, TWO, 2, pairs=PAIR, view_file="tones.js"), tmp_path, act)
