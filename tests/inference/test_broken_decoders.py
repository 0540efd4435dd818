"""Decoders that a study could not use are refused with one sentence each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, decoder_from_bytes, onnx_models, shipped_decoder
from understudy.models import OnnxClassifier, export_decoder
from understudy.schema import DecoderCard, Dial

onnx = pytest.importorskip("onnx", reason="needs the extra torch")
NOTHING = onnx.helper.make_node("Sqrt", ["product"], ["shown"])
CARD = DecoderCard(name="mine", shape=(2, 2), dials=(Dial(low=-1, high=1), Dial(low=-1, high=1)))


def file(matrix: Any = None, *, inputs: tuple[str, ...] = ("code",), rows: Any = "rows", last: Any = None) -> bytes:
    weight = np.ones((2, 4), dtype=np.float32) if matrix is None else np.asarray(matrix, dtype=np.float32)
    taken = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [rows, weight.shape[0]]) for name in inputs
    ]
    nodes = [onnx.helper.make_node("Sum", list(inputs), ["summed"])]
    nodes.append(onnx.helper.make_node("MatMul", ["summed", "weight"], ["product"]))
    nodes.append(last or onnx.helper.make_node("Identity", ["product"], ["shown"]))
    shown = onnx.helper.make_tensor_value_info("shown", onnx.TensorProto.FLOAT, [rows, weight.shape[1]])
    graph = onnx.helper.make_graph(nodes, "decoder", taken, [shown], [onnx.numpy_helper.from_array(weight, "weight")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    content: bytes = model.SerializeToString()
    return content


def graph_of(nodes: Sequence[Any], **constants: Any) -> bytes:
    """Return a decoder that adds what the nodes make as `extra` to a picture."""
    helper, number = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("MatMul", ["code", "weight"], ["product"]),
        *nodes,
        helper.make_node("Add", ["product", "extra"], ["shown"]),
    ]
    graph = helper.make_graph(
        nodes,
        "decoder",
        [helper.make_tensor_value_info("code", number, ["rows", 2])],
        [helper.make_tensor_value_info("shown", number, ["rows", 4])],
        [
            onnx.numpy_helper.from_array(np.asarray(values), name)
            for name, values in {"weight": np.ones((2, 4), dtype=np.float32), **constants}.items()
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    content: bytes = model.SerializeToString()
    return content


def repeating(rounds: str) -> Any:
    """Return a node that goes round and round, doubling the mean of what it is given."""
    helper, number, truth = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.BOOL
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["held", "held"], ["doubled"])],
        "body",
        [
            helper.make_tensor_value_info("round", onnx.TensorProto.INT64, []),
            helper.make_tensor_value_info("go", truth, []),
            helper.make_tensor_value_info("held", number, None),
        ],
        [helper.make_tensor_value_info("on", truth, []), helper.make_tensor_value_info("doubled", number, None)],
    )
    return helper.make_node("Loop", [rounds, "goes", "mean"], ["extra"], body=body)


MEAN = onnx.helper.make_node("ReduceMean", ["product"], ["mean"], keepdims=0)


def opened(content: bytes) -> OnnxDecoder:
    return decoder_from_bytes(content, CARD)


def test_a_sound_decoder_is_taken() -> None:
    assert opened(file()).decode(np.array([[1.0, 2.0]])).tolist() == [[3.0, 3.0, 3.0, 3.0]]


def test_a_decoder_for_single_rows_decodes_many() -> None:
    codes = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    np.testing.assert_allclose(opened(file(rows=1)).decode(codes), opened(file()).decode(codes))


def test_another_input_size_is_named() -> None:
    with pytest.raises(MaterialsError, match=r"inputs of shape \['rows', 3\], but its dials make codes of 2 numbers"):
        opened(file(np.ones((3, 4))))


def test_two_inputs_are_one_too_many() -> None:
    with pytest.raises(MaterialsError, match="has 2 inputs and 1 outputs; it needs one input"):
        opened(file(inputs=("code", "label")))


def test_another_output_size_is_named() -> None:
    with pytest.raises(MaterialsError, match=r"gives 5 numbers, but its shape 2 x 2 has 4"):
        opened(file(np.ones((2, 5))))


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(MaterialsError, match="not finite within the ranges of its dials"):
        opened(file(last=NOTHING))


@pytest.mark.parametrize(
    ("operator", "taken", "given"),
    [
        ("Cast", "FLOAT", "STRING"),
        ("Cast", "FLOAT", "INT64"),
        ("Cast", "DOUBLE", "FLOAT"),
        ("SequenceConstruct", "FLOAT", None),
    ],
)
def test_a_page_works_with_no_other_kind_of_numbers(operator: str, taken: str, given: str | None) -> None:
    """Texts of numbers would pass for numbers here, and for nothing in a browser."""
    helper, kinds = onnx.helper, onnx.TensorProto
    shown = (
        helper.make_tensor_sequence_value_info("shown", kinds.FLOAT, None)
        if given is None
        else helper.make_tensor_value_info("shown", getattr(kinds, given), ["rows", 2])
    )
    node = helper.make_node(operator, ["code"], ["shown"], **({"to": getattr(kinds, given)} if given else {}))
    code = helper.make_tensor_value_info("code", getattr(kinds, taken), ["rows", 2])
    graph = helper.make_graph([node], "decoder", [code], [shown])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    with pytest.raises(MaterialsError, match=r"a page works with tensor\(float\) alone"):
        decoder_from_bytes(model.SerializeToString(), CARD.model_copy(update={"shape": (1, 2)}))


def test_a_hole_between_the_ends_of_a_dial_is_found() -> None:
    root = onnx.helper.make_node("Sqrt", ["product"], ["shown"])
    with pytest.raises(MaterialsError, match="not finite within the ranges of its dials"):
        opened(file([[1.0] * 4, [-1.0] * 4], last=root))


def test_a_file_that_no_page_can_take_is_refused_by_its_size() -> None:
    with pytest.raises(MaterialsError, match="has 200 MiB; a page can take 100"):
        opened(bytes(200 * 2**20))


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(MaterialsError, match="not an ONNX model that can be run"):
        opened(b"a picture of a cat")


def test_every_refusal_is_a_sentence_or_two() -> None:
    said = []
    for content in (file(np.ones((3, 4))), file(last=NOTHING), b"nothing"):
        with pytest.raises(MaterialsError) as refused:
            opened(content)
        said.append(str(refused.value))
    assert [text for text in said if "\n" in text or len(text) > 400] == []


def test_a_decoder_that_never_answers_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_models, "MOST_S", 2)
    endless = graph_of([MEAN, repeating("rounds")], rounds=np.int64(2**62), goes=np.array(True))
    with pytest.raises(MaterialsError, match="'mine' did not finish within 2 seconds when it was tried"):
        opened(endless)


def test_a_call_that_never_answers_after_the_trial_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop may depend on the input, so that no trial can find all of them."""
    monkeypatch.setattr(onnx_models, "MOST_S", 2)
    large = onnx.helper.make_node("Greater", ["mean", "most"], ["goes"])
    decoder = opened(graph_of([MEAN, large, repeating("")], most=np.float32(1000)))
    assert decoder.decode(np.ones((1, 2))).tolist() == [[4.0] * 4]
    with pytest.raises(MaterialsError, match="'mine' did not answer a call within 2 seconds"):
        decoder.decode(np.full((1, 2), 5000.0))


def test_a_small_file_that_asks_for_much_memory_is_refused() -> None:
    """At each call, so that it would be asked of the devices of participants too."""
    rows = [
        onnx.helper.make_node("Shape", ["code"], ["shape"]),
        onnx.helper.make_node("Gather", ["shape", "first"], ["n"]),
        onnx.helper.make_node("Mul", ["n", "many"], ["places"]),
        onnx.helper.make_node("ConstantOfShape", ["places"], ["large"]),
        onnx.helper.make_node("ReduceMax", ["large"], ["extra"], keepdims=0),
    ]
    first, many = np.zeros(1, dtype=np.int64), np.array([2**30])
    content = graph_of(rows, first=first, many=many)
    assert len(content) < 1290
    with pytest.raises(MaterialsError, match="'mine' asks for more than 512 MiB of memory at one call"):
        opened(content)
    folded = onnx.helper.make_node("ConstantOfShape", ["many"], ["large"])
    with pytest.raises(MaterialsError, match="asks for more than 512 MiB"):
        opened(graph_of([folded, rows[-1]], many=many))
    assert opened(graph_of(rows, first=first, many=np.array([2**20]))).decode(np.ones(2)).shape == (1, 4)


def test_a_decoder_whose_answers_change_is_refused() -> None:
    for nodes, named in (
        ([onnx.helper.make_node("RandomNormalLike", ["product"], ["extra"], seed=1.0)], "RandomNormalLike"),
        ([onnx.helper.make_node("RandomUniform", [], ["extra"], shape=[4])], "RandomUniform"),
        (
            [
                MEAN,
                onnx.helper.make_node("Sigmoid", ["mean"], ["share"]),
                onnx.helper.make_node("Bernoulli", ["share"], ["extra"]),
            ],
            "Bernoulli",
        ),
    ):
        with pytest.raises(MaterialsError, match=f"has the random operator {named}, so that no two calls"):
            opened(graph_of(nodes))
    dropped = [
        MEAN,
        onnx.helper.make_node("Less", ["mean", "most"], ["trains"]),
        onnx.helper.make_node("Dropout", ["product", "half", "trains"], ["extra"]),
    ]
    with pytest.raises(MaterialsError, match="gives two different answers to the same input"):
        opened(graph_of(dropped, most=np.float32(1000), half=np.float32(0.5)))


def test_a_decoder_in_two_files_is_refused_wherever_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.onnx"
    onnx.save_model(
        onnx.load_model_from_string(file()),
        path,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    second = r"keeps its weights in a second file \(weights\.bin\), which would be left behind"
    with pytest.raises(MaterialsError, match=second):
        opened(path.read_bytes())
    with pytest.raises(MaterialsError, match=second):
        export_decoder(path, tmp_path / "again.onnx", shape=(2, 2), dials=CARD.dials, precision="int8")
    with pytest.raises(MaterialsError, match=second):
        OnnxClassifier(path=str(path), labels=("a", "b", "c", "d"), outputs="logits").predict(np.ones((3, 2)))
    assert not (tmp_path / "again.onnx").exists()
    # A tensor may also be the value of a node, and the second file may be anywhere.
    tensor = onnx.numpy_helper.from_array(np.ones(4, dtype=np.float32), "kept")
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "/etc/hostname"
    with pytest.raises(MaterialsError, match=r"second file \(/etc/hostname\)"):
        opened(graph_of([onnx.helper.make_node("Constant", [], ["extra"], value=tensor)]))


def test_a_classifier_is_tried_with_what_it_is_first_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its file need not say how many numbers it takes."""
    monkeypatch.setattr(onnx_models, "MOST_S", 2)
    model = onnx.load_model_from_string(graph_of([MEAN, repeating("")], goes=np.array(True)))
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "numbers"
    path = tmp_path / "mine.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(MaterialsError, match=r"mine.onnx did not finish within 2 seconds when it was tried"):
        OnnxClassifier(path=str(path), labels=("a", "b", "c", "d"), outputs="logits").predict(np.ones((3, 2)))


def test_a_shipped_model_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", None)
    decoder = shipped_decoder("sinelines-gt")
    assert decoder_from_bytes(decoder.content, decoder.card).content == decoder.content
