"""Decoders that a study could not use are refused with one sentence each."""

from typing import Any

import numpy as np
import pytest

from understudy.errors import MaterialsError
from understudy.inference import OnnxDecoder, decoder_from_bytes
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
