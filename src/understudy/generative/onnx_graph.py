"""ONNX graphs: a sequence of layers written as a model that browsers run, its averages folded into the weights."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import nn

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.generative.narrowing import Precision, narrowed

OPSET = 18
IR_VERSION = 9


@dataclass
class _Sheet:
    """Nodes and constants gathered on the way through the layers."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    last: str = "code"

    def add(self, kind: str, *others: str, **attributes: Any) -> None:
        """Append a node that takes the last value and the constants named."""
        output = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, [self.last, *others], [output], **attributes))
        self.last = output

    def keep(self, values: np.ndarray[Any, Any]) -> str:
        """Store a constant and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name


def onnx_from_layers(
    layers: nn.Sequential, *, n_inputs: int, n_outputs: int, ends_in_sigmoid: bool, precision: Precision = "float32"
) -> bytes:
    """Write a decoder as ONNX: one input `code` of any number of rows, one flat output."""
    onnx = optional("onnx", extra="torch")
    sheet = _Sheet(onnx)
    steps = list(layers)
    while steps:
        layer = steps.pop(0)
        norm = steps.pop(0) if steps and isinstance(steps[0], nn.BatchNorm1d | nn.BatchNorm2d) else None
        _write(sheet, layer, norm)
    if ends_in_sigmoid:
        sheet.add("Sigmoid")
    helper = onnx.helper
    code = helper.make_tensor_value_info("code", onnx.TensorProto.FLOAT, ["rows", n_inputs])
    shown = helper.make_tensor_value_info(sheet.last, onnx.TensorProto.FLOAT, ["rows", n_outputs])
    graph = helper.make_graph(sheet.nodes, "decoder", [code], [shown], sheet.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return narrowed(content, precision)


def _write(sheet: _Sheet, layer: nn.Module, norm: nn.Module | None) -> None:
    if isinstance(layer, nn.Linear | nn.ConvTranspose2d):
        _write_weighted(sheet, layer, norm)
    elif isinstance(layer, nn.ReLU):
        sheet.add("Relu")
    elif isinstance(layer, nn.LeakyReLU):
        sheet.add("LeakyRelu", alpha=float(layer.negative_slope))
    elif isinstance(layer, nn.Unflatten):
        sheet.add("Reshape", sheet.keep(np.array([-1, *layer.unflattened_size], dtype=np.int64)))
    elif isinstance(layer, nn.Flatten):
        sheet.add("Flatten", axis=1)
    else:
        raise MaterialsError(f"A layer {type(layer).__name__} cannot be written; export the module with torch instead.")


def _write_weighted(sheet: _Sheet, layer: nn.Linear | nn.ConvTranspose2d, norm: nn.Module | None) -> None:
    is_dense = isinstance(layer, nn.Linear)
    channel = 0 if is_dense else 1
    weight = layer.weight.detach().double().numpy()
    bias = np.zeros(weight.shape[channel]) if layer.bias is None else layer.bias.detach().double().numpy()
    if isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d):
        gain, shift = _gain_and_shift(norm)
        weight = weight * gain.reshape([-1 if axis == channel else 1 for axis in range(weight.ndim)])
        bias = bias * gain + shift
    kept = sheet.keep(weight.astype(np.float32)), sheet.keep(bias.astype(np.float32))
    if isinstance(layer, nn.Linear):
        sheet.add("Gemm", *kept, transB=1)
    else:
        pads = [int(one) for one in layer.padding] * 2
        sheet.add("ConvTranspose", *kept, strides=list(layer.stride), pads=pads, kernel_shape=list(layer.kernel_size))


def _gain_and_shift(norm: nn.BatchNorm1d | nn.BatchNorm2d) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    running_mean, running_variance = norm.running_mean, norm.running_var
    if running_mean is None or running_variance is None:
        raise MaterialsError("Batch normalisation without running averages cannot be folded into the weights.")
    gain = (norm.weight / (running_variance + norm.eps).sqrt()).detach().double().numpy()
    return gain, norm.bias.detach().double().numpy() - running_mean.double().numpy() * gain
