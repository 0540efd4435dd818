"""Decoders to measure: those that ship, and one of the size of the MNIST models with weights drawn at random."""

import base64
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import optional
from understudy.inference import shipped_decoder
from understudy.roles import Floats
from understudy.schema import DecoderCard, Dial

MNIST_SIZE = "MNIST-size"


class Measured(NamedTuple):
    """A decoder's file and card."""

    content: bytes
    card: DecoderCard


def measured_decoder(name: str, seed: int) -> Measured:
    """Return a decoder by its name."""
    if name == MNIST_SIZE:
        dials = tuple(Dial(low=-3, high=3) for _ in range(15))
        return Measured(_mnist_size(seed), DecoderCard(name="mnist-size", shape=(28, 28), dials=dials))
    decoder = shipped_decoder(name)
    return Measured(decoder.content, decoder.card)


def codes_for(card: DecoderCard, n: int, seed: int) -> Floats:
    """Draw held-out codes, or, of a decoder without any, codes over the whole range of the dials."""
    rng = np.random.default_rng(seed)
    if card.codes:
        return np.asarray(card.codes, dtype=np.float64)[rng.choice(len(card.codes), size=n)]
    parts = [
        np.eye(dial.n_inputs)[rng.integers(dial.n_inputs, size=n)]
        if dial.kind == "discrete"
        else rng.uniform(dial.low, dial.high, size=(n, 1))
        for dial in card.dials
    ]
    return np.concatenate(parts, axis=1)


def graph_of(content: bytes) -> dict[str, Any]:
    """Write an ONNX graph as plain values, with its weights packed, for another runtime to run."""
    onnx = optional("onnx", extra="torch")
    graph = onnx.load_from_string(content).graph
    held = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            held[node.output[0]] = onnx.numpy_helper.to_array(node.attribute[0].t)
    floats = {
        name: {"shape": list(value.shape), "packed": base64.b64encode(value.astype("<f4").tobytes()).decode()}
        for name, value in held.items()
        if value.dtype.kind == "f"
    }
    nodes = [_plain_node(onnx, node, held) for node in graph.node if node.op_type != "Constant"]
    return {"nodes": nodes, "held": floats, "input": graph.input[0].name, "output": graph.output[0].name}


def _plain_node(onnx: Any, node: Any, held: dict[str, Any]) -> dict[str, Any]:
    attributes = {field.name: onnx.helper.get_attribute_value(field) for field in node.attribute}
    plain = {"op": node.op_type, "inputs": list(node.input), "outputs": list(node.output), "attributes": attributes}
    if node.op_type == "Reshape":
        shape = [int(size) for size in held[node.input[1]]]
        plain |= {"inputs": [node.input[0]], "shape": [1 if size == 0 else size for size in shape]}
    if node.op_type == "Split":
        sizes = held[node.input[1]].tolist() if len(node.input) > 1 else [1] * len(node.output)
        plain |= {"inputs": [node.input[0]], "sizes": sizes}
    return plain


def _mnist_size(seed: int) -> bytes:
    onnx = optional("onnx", extra="torch")
    helper, rng = onnx.helper, np.random.default_rng(seed)
    shapes = {
        "w1": (15, 1024),
        "b1": (1024,),
        "w2": (1024, 6272),
        "b2": (6272,),
        "w3": (128, 64, 4, 4),
        "w4": (64, 1, 4, 4),
    }
    spread = {"w1": 0.3, "b1": 0.1, "w2": 0.05, "b2": 0.1, "w3": 0.05, "w4": 0.1}
    held = [
        onnx.numpy_helper.from_array(rng.normal(0, spread[name], shape).astype(np.float32), name)
        for name, shape in shapes.items()
    ]
    held.append(onnx.numpy_helper.from_array(np.array([-1, 128, 7, 7]), "picture"))
    up = {"kernel_shape": [4, 4], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    nodes = [
        helper.make_node("MatMul", ["code", "w1"], ["m1"]), helper.make_node("Add", ["m1", "b1"], ["d1"]),
        helper.make_node("LeakyRelu", ["d1"], ["a1"], alpha=0.2),
        helper.make_node("MatMul", ["a1", "w2"], ["m2"]), helper.make_node("Add", ["m2", "b2"], ["d2"]),
        helper.make_node("LeakyRelu", ["d2"], ["a2"], alpha=0.2), helper.make_node("Reshape", ["a2", "picture"], ["p"]),
        helper.make_node("ConvTranspose", ["p", "w3"], ["c3"], **up), helper.make_node("LeakyRelu", ["c3"], ["a3"], alpha=0.2),
        helper.make_node("ConvTranspose", ["a3", "w4"], ["c4"], **up), helper.make_node("Sigmoid", ["c4"], ["s"]),
        helper.make_node("Flatten", ["s"], ["out"]),
    ]  # fmt: skip
    sides = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", n])
        for name, n in (("code", 15), ("out", 784))
    ]
    graph = helper.make_graph(nodes, "decoder", sides[:1], sides[1:], held)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    content: bytes = model.SerializeToString()
    return content


def save(decoder: Measured, folder: Path) -> Path:
    """Write a decoder into a folder, for a study to bring along."""
    path = folder / "measured.onnx"
    path.write_bytes(decoder.content)
    return path
