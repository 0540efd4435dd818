"""ONNX graphs: a classifier with all that it can show, written node by node.

One input (`codes` or `tokens`) and these outputs: `probabilities`, `margins`, `latents`, for prototypes `similarities`,
and for tokens `word_vectors`, which depends on no input.
"""

from typing import Any

import numpy as np
from torch import nn

from understudy.inference.onnx_builder import Sheet, Table
from understudy.training.classifiers.nets import CodesBody, Net, Prototypes, TokensBody


def onnx_from_net(net: Net) -> bytes:
    """Write a trained net."""
    sheet = Sheet()
    body = net.body
    hidden = _codes_body(sheet, body) if isinstance(body, CodesBody) else _tokens_body(sheet, body)
    if net.reduction is not None:
        hidden = sheet.add("Sigmoid", _linear(sheet, hidden, net.reduction))
    sheet.add("Identity", hidden, into="latents")
    evidence = _prototypes(sheet, net.head) if isinstance(net.head, Prototypes) else _linear(sheet, "latents", net.head)
    sheet.add("Softmax", evidence, into="probabilities", axis=1)
    first, second = (sheet.add("Gather", evidence, sheet.keep(np.array(one)), axis=1) for one in (0, 1))
    sheet.add("Sub", second, first, into="margins")
    return _written(sheet, net)


def _codes_body(sheet: Sheet, body: CodesBody) -> str:
    starts = sheet.keep(body.starts.numpy().astype(np.int64))
    rows = sheet.add("Gather", sheet.keep(body.first.weight.T), sheet.add("Add", "codes", starts), axis=0)
    summed = sheet.add("ReduceSum", rows, _whole(sheet, 1), keepdims=0)
    first = sheet.add("Relu", sheet.add("Add", summed, sheet.keep(body.first.bias)))
    return sheet.add("Relu", _linear(sheet, first, body.second))


def _tokens_body(sheet: Sheet, body: TokensBody) -> str:
    zero = sheet.keep(np.array(0, dtype=np.int64))
    is_word = sheet.add("GreaterOrEqual", "tokens", zero)
    counted = sheet.add("Cast", is_word, to=sheet.onnx.TensorProto.INT32)
    lengths = sheet.add("ReduceSum", counted, _whole(sheet, 1), keepdims=0)
    table = sheet.add("Identity", sheet.keep(body.words.weight), into="word_vectors")
    vectors = sheet.add("Gather", table, sheet.add("Max", "tokens", zero), axis=0)
    states = _recurrent(sheet, body.rnn, sheet.add("Transpose", vectors, perm=[1, 0, 2]), lengths)
    wide = sheet.add("Transpose", states, perm=[2, 0, 1, 3])
    states = sheet.add("Reshape", wide, _whole(sheet, 0, 0, body.width))
    product = sheet.add("MatMul", states, sheet.keep(body.key.weight.T))
    keys = sheet.add("Tanh", sheet.add("Add", product, sheet.keep(body.key.bias)))
    scores = sheet.add("MatMul", keys, sheet.keep(body.query / body.width**0.5))
    masked = sheet.add("Where", is_word, scores, sheet.keep(np.array(-1e9, dtype=np.float32)))
    weights = sheet.add("Unsqueeze", sheet.add("Softmax", masked, axis=1), _whole(sheet, 1))
    return sheet.add("Squeeze", sheet.add("MatMul", weights, states), _whole(sheet, 1))


def _recurrent(sheet: Sheet, rnn: nn.LSTM, vectors: str, lengths: str) -> str:
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


def _prototypes(sheet: Sheet, head: Prototypes) -> str:
    places = sheet.keep(head.places.unsqueeze(0))
    apart = sheet.add("Sub", sheet.add("Unsqueeze", "latents", _whole(sheet, 1)), places)
    squared = sheet.add("ReduceSum", sheet.add("Mul", apart, apart), _whole(sheet, 2), keepdims=0)
    likeness = sheet.add("Exp", sheet.add("Neg", squared), into="similarities")
    by_class = sheet.add("Reshape", likeness, _whole(sheet, 0, head.n_classes, head.n_each))
    return sheet.add("ReduceMax", by_class, _whole(sheet, 2), keepdims=0)


def _linear(sheet: Sheet, held: str, layer: nn.Linear) -> str:
    """Append a linear layer for rows."""
    return sheet.add("Gemm", held, sheet.keep(layer.weight), sheet.keep(layer.bias), transB=1)


def _whole(sheet: Sheet, *numbers: int) -> str:
    """Store whole numbers, as axes and shapes want them."""
    return sheet.keep(np.array(numbers, dtype=np.int64))


def _written(sheet: Sheet, net: Net) -> bytes:
    given = Table("tokens", ["rows", "length"], "INT64")
    if isinstance(net.body, CodesBody):
        given = Table("codes", ["rows", len(net.body.starts)], "INT64")
    n_classes = net.head.n_classes if isinstance(net.head, Prototypes) else net.head.out_features
    n_latent = net.body.width if net.reduction is None else net.reduction.out_features
    shown = [
        Table("probabilities", ["rows", n_classes]),
        Table("margins", ["rows"]),
        Table("latents", ["rows", n_latent]),
    ]
    if isinstance(net.head, Prototypes):
        shown.append(Table("similarities", ["rows", len(net.head.places)]))
    if isinstance(net.body, TokensBody):
        shown.append(Table("word_vectors", list(net.body.words.weight.shape)))
    return sheet.written("classifier", given, *shown)
