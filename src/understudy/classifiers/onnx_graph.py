"""ONNX graphs: a classifier with all that it can show, written node by node.

One input (`codes` or `tokens`) and these outputs: `probabilities`, `margins`, `latents`, for prototypes `similarities`,
and for tokens `word_vectors`, which depends on no input.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor, nn

from understudy.classifiers.nets import CodesBody, Net, Prototypes, TokensBody
from understudy.extras import optional

OPSET = 18
IR_VERSION = 9


@dataclass
class _Sheet:
    """Nodes and constants gathered on the way through the net."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def add(self, kind: str, *inputs: str, to: str | None = None, **attributes: Any) -> str:
        """Append a node and return the name of its output."""
        output = to or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def keep(self, values: Tensor | np.ndarray[Any, Any], name: str | None = None) -> str:
        """Store a constant and return its name."""
        array = values.detach().numpy().astype(np.float32) if isinstance(values, Tensor) else values
        held = name or f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(array, order="C"), held))
        return held

    def whole(self, *numbers: int) -> str:
        """Store whole numbers, as axes and shapes want them."""
        return self.keep(np.array(numbers, dtype=np.int64))

    def linear(self, held: str, layer: nn.Linear) -> str:
        """Append a linear layer for rows."""
        return self.add("Gemm", held, self.keep(layer.weight), self.keep(layer.bias), transB=1)


def onnx_from_net(net: Net) -> bytes:
    """Write a trained net."""
    onnx = optional("onnx", extra="torch")
    sheet = _Sheet(onnx)
    if isinstance(net.body, CodesBody):
        hidden = _codes_body(sheet, net.body)
    else:
        assert isinstance(net.body, TokensBody)  # noqa: S101  there are two kinds of body
        hidden = _tokens_body(sheet, net.body)
    if net.reduction is not None:
        hidden = sheet.add("Sigmoid", sheet.linear(hidden, net.reduction))
    sheet.add("Identity", hidden, to="latents")
    evidence = _prototypes(sheet, net.head) if isinstance(net.head, Prototypes) else sheet.linear("latents", net.head)
    sheet.add("Softmax", evidence, to="probabilities", axis=1)
    first, second = (sheet.add("Gather", evidence, sheet.keep(np.array(one)), axis=1) for one in (0, 1))
    sheet.add("Sub", second, first, to="margins")
    return _written(sheet, net)


def _codes_body(sheet: _Sheet, body: CodesBody) -> str:
    starts = sheet.keep(body.starts.numpy().astype(np.int64))
    rows = sheet.add("Gather", sheet.keep(body.first.weight.T), sheet.add("Add", "codes", starts), axis=0)
    summed = sheet.add("ReduceSum", rows, sheet.whole(1), keepdims=0)
    first = sheet.add("Relu", sheet.add("Add", summed, sheet.keep(body.first.bias)))
    return sheet.add("Relu", sheet.linear(first, body.second))


def _tokens_body(sheet: _Sheet, body: TokensBody) -> str:
    zero = sheet.keep(np.array(0, dtype=np.int64))
    is_word = sheet.add("GreaterOrEqual", "tokens", zero)
    lengths = sheet.add("ReduceSum", _as_integers(sheet, is_word), sheet.whole(1), keepdims=0)
    table = sheet.add("Identity", sheet.keep(body.words.weight), to="word_vectors")
    vectors = sheet.add("Gather", table, sheet.add("Max", "tokens", zero), axis=0)
    states = _recurrent(sheet, body.rnn, sheet.add("Transpose", vectors, perm=[1, 0, 2]), lengths)
    wide = sheet.add("Transpose", states, perm=[2, 0, 1, 3])
    states = sheet.add("Reshape", wide, sheet.whole(0, 0, body.width))
    product = sheet.add("MatMul", states, sheet.keep(body.key.weight.T))
    keys = sheet.add("Tanh", sheet.add("Add", product, sheet.keep(body.key.bias)))
    scores = sheet.add("MatMul", keys, sheet.keep(body.query / body.width**0.5))
    masked = sheet.add("Where", is_word, scores, sheet.keep(np.array(-1e9, dtype=np.float32)))
    weights = sheet.add("Unsqueeze", sheet.add("Softmax", masked, axis=1), sheet.whole(1))
    return sheet.add("Squeeze", sheet.add("MatMul", weights, states), sheet.whole(1))


def _as_integers(sheet: _Sheet, held: str) -> str:
    output = f"cast_{len(sheet.nodes)}"
    node = sheet.onnx.helper.make_node("Cast", [held], [output], to=sheet.onnx.TensorProto.INT32)
    sheet.nodes.append(node)
    return output


def _recurrent(sheet: _Sheet, rnn: nn.LSTM, vectors: str, lengths: str) -> str:
    """Append the layer; its states come as steps x directions x rows x numbers."""
    n = rnn.hidden_size
    # torch keeps its gates as input, forget, cell, output; ONNX wants input, output, forget, cell.
    order = np.concatenate([np.arange(k * n, (k + 1) * n) for k in (0, 3, 1, 2)])

    def both(name: str) -> np.ndarray[Any, Any]:
        parts = [getattr(rnn, f"{name}_l0{ending}").detach().numpy()[order] for ending in ("", "_reverse")]
        return np.stack(parts).astype(np.float32)

    biases = np.concatenate([both("bias_ih"), both("bias_hh")], axis=1)
    return sheet.add(
        "LSTM",
        vectors,
        sheet.keep(both("weight_ih")),
        sheet.keep(both("weight_hh")),
        sheet.keep(biases),
        lengths,
        hidden_size=n,
        direction="bidirectional",
    )


def _prototypes(sheet: _Sheet, head: Prototypes) -> str:
    places = sheet.keep(head.places.unsqueeze(0))
    apart = sheet.add("Sub", sheet.add("Unsqueeze", "latents", sheet.whole(1)), places)
    squared = sheet.add("ReduceSum", sheet.add("Mul", apart, apart), sheet.whole(2), keepdims=0)
    likeness = sheet.add("Exp", sheet.add("Neg", squared), to="similarities")
    by_class = sheet.add("Reshape", likeness, sheet.whole(0, head.n_classes, head.n_each))
    return sheet.add("ReduceMax", by_class, sheet.whole(2), keepdims=0)


def _written(sheet: _Sheet, net: Net) -> bytes:
    onnx = sheet.onnx
    helper, kinds = onnx.helper, onnx.TensorProto
    if isinstance(net.body, CodesBody):
        given = helper.make_tensor_value_info("codes", kinds.INT64, ["rows", len(net.body.starts)])
    else:
        given = helper.make_tensor_value_info("tokens", kinds.INT64, ["rows", "length"])
    n_classes = net.head.n_classes if isinstance(net.head, Prototypes) else net.head.out_features
    n_latent = net.body.width if net.reduction is None else net.reduction.out_features
    shapes: dict[str, list[Any]] = {
        "probabilities": ["rows", n_classes],
        "margins": ["rows"],
        "latents": ["rows", n_latent],
    }
    if isinstance(net.head, Prototypes):
        shapes["similarities"] = ["rows", len(net.head.places)]
    if isinstance(net.body, TokensBody):
        shapes["word_vectors"] = list(net.body.words.weight.shape)
    shown = [helper.make_tensor_value_info(name, kinds.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(sheet.nodes, "classifier", [given], shown, sheet.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content
