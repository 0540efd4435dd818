"""Questions about one dial: where the regimes lie, how they are dealt, and what never leaves the server."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.datasets.reconstruction import drawn_codes
from understudy.datasets.single_dial import BANDS, regimes_of
from understudy.errors import MaterialsError, UnknownName
from understudy.inference import outputs_from_text, shipped_decoder
from understudy.registry import create
from understudy.roles import Sample
from understudy.schema import DecoderCard, Dial, Ref, Stimulus

PUBLIC = {
    "view", "shape", "limits", "packing", "layout", "n_options", "n_columns", "n_rows", "number", "picture", "sets",
}  # fmt: skip
TWO_KINDS = DecoderCard(
    name="mixed", shape=(2,), view="line", dials=(Dial(kind="discrete", options=("a", "b", "c", "d")), Dial(high=10.0))
)


def drawn(n: int, *, decoder: str = "sinelines-gt", seed: int = 1, **params: Any) -> Sample:
    dataset = create("datasets", Ref(name="single_dial", params={"decoder": decoder, **params}))
    sample: Sample = dataset.draw(n, np.random.default_rng(seed))
    return sample


def test_regimes_lie_between_the_percentiles_of_the_card() -> None:
    card = shipped_decoder("sinelines-gt").card
    slope = regimes_of(card)[0]
    assert slope.bands is not None
    wanted = [[card.percentiles[str(end)][0] for end in band] for band in BANDS.values()]
    np.testing.assert_allclose(slope.bands, wanted)


def test_without_percentiles_and_codes_the_range_itself_is_divided() -> None:
    bands = regimes_of(TWO_KINDS)[1].bands
    assert bands is not None
    np.testing.assert_allclose(bands, [[0.1, 0.5], [4.8, 5.2], [9.5, 9.9]])


def test_a_dial_with_options_has_a_regime_for_each() -> None:
    choice = regimes_of(TWO_KINDS)[0]
    codes = choice.put(drawn_codes(TWO_KINDS, 3, np.random.default_rng(1)), 2, np.random.default_rng(1))
    assert choice.names == ("option 1", "option 2", "option 3", "option 4")
    assert codes[:, :4].tolist() == [[0, 0, 1, 0]] * 3


@pytest.mark.parametrize("regime", range(3))
def test_a_regime_moves_its_own_dial_only_and_stays_in_its_band(regime: int) -> None:
    card = shipped_decoder("sinelines-gt").card
    amplitude = regimes_of(card)[2]
    before = drawn_codes(card, 200, np.random.default_rng(1))
    after = amplitude.put(before, regime, np.random.default_rng(2))
    assert amplitude.bands is not None
    low, high = amplitude.bands[regime]
    assert ((after[:, 2] >= low) & (after[:, 2] <= high)).all()
    np.testing.assert_array_equal(np.delete(after, 2, axis=1), np.delete(before, 2, axis=1))


def test_two_questions_about_a_dial_follow_each_other_and_dials_are_numbered_as_they_come() -> None:
    sample = drawn(10)
    dials = list(sample.attributes["dial"])
    assert dials[0::2] == dials[1::2]
    assert sorted(dials[0::2]) == [1, 2, 3, 4, 5]
    assert [content["number"] for content in sample.contents] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_the_order_of_dials_differs_from_draw_to_draw() -> None:
    orders = {tuple(drawn(10, seed=seed, n_sets=1).attributes["dial"]) for seed in range(8)}
    assert len(orders) > 4


def test_balanced_regimes_differ_by_one_question_at_most() -> None:
    counts = Counter(drawn(10, regimes="balanced").attributes["regime"])
    assert sorted(counts.values()) == [3, 3, 4]


def test_uniform_regimes_are_drawn_one_by_one() -> None:
    spreads = {tuple(sorted(Counter(drawn(9, seed=s, n_sets=1).attributes["regime"]).values())) for s in range(12)}
    assert len(spreads) > 1


def test_only_the_dials_asked_for_are_asked_about() -> None:
    assert set(drawn(6, asked=[2, 4]).attributes["dial"]) == {2, 4}


def test_what_is_shown_holds_pictures_and_no_code() -> None:
    sample = drawn(10)
    assert all(set(content) == PUBLIC for content in sample.contents)
    names = [dial.name for dial in shipped_decoder("sinelines-gt").card.dials]
    assert not any(name in json.dumps(list(sample.contents)) for name in names)


def test_pages_of_one_dial_differ_in_the_picture_only() -> None:
    first, second = drawn(2).contents
    assert {name for name in first if first[name] != second[name]} == {"picture"}


@pytest.mark.parametrize(("layout", "n_pictures"), [("exemplars", 24), ("traversals", 35)])
def test_every_set_holds_its_pictures_and_no_two_sets_are_alike(layout: str, n_pictures: int) -> None:
    content: Any = drawn(1, layout=layout).contents[0]
    sets = [outputs_from_text(one, "f32", n_outputs=64, limits=(-10, 10)) for one in content["sets"]]
    assert [one.shape for one in sets] == [(n_pictures, 64)] * 5
    assert len(set(content["sets"])) == 5


def test_along_a_row_only_the_dial_moves() -> None:
    content: Any = drawn(1, layout="traversals", asked=[2]).contents[0]
    table = outputs_from_text(content["sets"][0], "f32", n_outputs=64, limits=(-10, 10)).reshape(5, 7, 64)
    steps = np.diff(table, axis=1)
    assert (steps > 0).all()
    np.testing.assert_allclose(steps, steps.mean(axis=2, keepdims=True).repeat(64, axis=2), atol=1e-5)


def test_grey_pictures_travel_in_256_steps() -> None:
    content: Any = drawn(1, decoder="practice-disc").contents[0]
    shown = outputs_from_text(content["picture"], content["packing"], n_outputs=4096, limits=(0.0, 1.0))
    assert content["packing"] == "zlib-u8"
    assert len(np.unique(shown)) == 2
    assert len(content["picture"]) < 400


def test_a_dial_that_turns_in_a_circle_is_harder_to_tell_than_one_that_does_not() -> None:
    sample = drawn(100, n_sets=1)
    by_name: dict[str, list[float]] = {}
    for name, apart in zip(sample.attributes["dial_name"], sample.attributes["regime_distance"], strict=True):
        by_name.setdefault(str(name), []).append(float(apart))
    assert np.mean(by_name["phase"]) < 0.25 * np.mean(by_name["slope"])


def test_regimes_that_look_alike_are_flagged() -> None:
    sample = drawn(60, asked=[5], n_sets=1)
    flags = [apart >= 0.1 for apart in map(float, sample.attributes["regime_distance"])]
    assert list(sample.attributes["is_distinct"]) == flags
    assert 0 < sum(flags) < 60


def test_unclear_questions_can_be_drawn_again() -> None:
    assert all(drawn(30, asked=[5], n_sets=1, unclear="redraw").attributes["is_distinct"])


def test_a_dial_that_can_never_be_told_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"regimes of dial 1 .* look alike in all of 200 pictures"):
        drawn(1, asked=[1], n_sets=1, unclear="redraw", min_apart=50)


def test_a_dial_that_is_not_there_is_refused() -> None:
    with pytest.raises(MaterialsError, match=r"Dial 6 .* has dials 1 to 5"):
        drawn(1, asked=[6])


@pytest.mark.parametrize("params", [{}, {"decoder": "sinelines-gt", "file": "own.onnx"}])
def test_exactly_one_decoder_is_wanted(params: dict[str, Any]) -> None:
    with pytest.raises(UnknownName, match="name either a decoder"):
        create("datasets", Ref(name="single_dial", params=params))


@pytest.mark.parametrize(("layout", "n_pictures"), [("exemplars", 32), ("traversals", 20)])
def test_a_dial_with_options_gets_a_bin_or_a_column_for_each(layout: str, n_pictures: int, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="onnx writes the decoder of this test and is not installed")
    weights = onnx.numpy_helper.from_array(np.linspace(0, 1, 10, dtype=np.float32).reshape(5, 2), "weights")
    code = onnx.helper.make_tensor_value_info("code", onnx.TensorProto.FLOAT, ["rows", 5])
    line = onnx.helper.make_tensor_value_info("line", onnx.TensorProto.FLOAT, ["rows", 2])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["code", "weights"], ["line"])], "mixed", [code], [line], [weights]
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    (tmp_path / "mixed.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "mixed.json").write_text(TWO_KINDS.model_dump_json(), encoding="utf-8")
    sample = drawn(1, decoder="", file=str(tmp_path / "mixed.onnx"), layout=layout, asked=[1])
    content: Any = sample.contents[0]
    stimulus = Stimulus(stimulus_id="one", content=content, truth={"regime": str(sample.attributes["regime"][0])})
    (draft,) = create("tasks", Ref(name="single_dial")).drafts([stimulus], np.random.default_rng(1))
    assert len(outputs_from_text(content["sets"][0], "f32", n_outputs=2, limits=(0.0, 1.0))) == n_pictures
    assert draft.answers["regime"] == str(sample.attributes["regime"][0]).capitalize()
