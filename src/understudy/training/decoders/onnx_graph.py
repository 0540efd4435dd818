"""ONNX graphs: a sequence of layers written as a model that browsers run, its averages folded into the weights."""

from typing import Any

import numpy as np
from torch import nn

from understudy.errors import MaterialsError
from understudy.inference.onnx_builder import Sheet, Table
from understudy.inference.quantization import Precision, quantized


def onnx_from_layers(
    layers: nn.Sequential, *, n_inputs: int, n_outputs: int, ends_in_sigmoid: bool, precision: Precision = "float32"
) -> bytes:
    """Write a decoder as ONNX: one input `code` of any number of rows, one flat output."""
    sheet, last = Sheet(), "code"
    steps = list(layers)
    while steps:
        layer = steps.pop(0)
        norm = steps.pop(0) if steps and isinstance(steps[0], nn.BatchNorm1d | nn.BatchNorm2d) else None
        last = _added(sheet, last, layer, norm)
    if ends_in_sigmoid:
        last = sheet.add("Sigmoid", last)
    content = sheet.written("decoder", Table("code", ["rows", n_inputs]), Table(last, ["rows", n_outputs]))
    return quantized(content, precision)


def _added(sheet: Sheet, last: str, layer: nn.Module, norm: nn.Module | None) -> str:
    if isinstance(layer, nn.Linear | nn.ConvTranspose2d):
        return _added_weights(sheet, last, layer, norm)
    if isinstance(layer, nn.ReLU):
        return sheet.add("Relu", last)
    if isinstance(layer, nn.LeakyReLU):
        return sheet.add("LeakyRelu", last, alpha=float(layer.negative_slope))
    if isinstance(layer, nn.Unflatten):
        return sheet.add("Reshape", last, sheet.keep(np.array([-1, *layer.unflattened_size], dtype=np.int64)))
    if isinstance(layer, nn.Flatten):
        return sheet.add("Flatten", last, axis=1)
    raise MaterialsError(f"A layer {type(layer).__name__} cannot be written; export the module with torch instead.")


def _added_weights(sheet: Sheet, last: str, layer: nn.Linear | nn.ConvTranspose2d, norm: nn.Module | None) -> str:
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
        return sheet.add("Gemm", last, *kept, transB=1)
    return sheet.add(
        "ConvTranspose",
        last,
        *kept,
        strides=list(layer.stride),
        pads=[int(one) for one in layer.padding] * 2,
        kernel_shape=list(layer.kernel_size),
    )


def _gain_and_shift(norm: nn.BatchNorm1d | nn.BatchNorm2d) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    running_mean, running_variance = norm.running_mean, norm.running_var
    if running_mean is None or running_variance is None:
        raise MaterialsError("Batch normalisation without running averages cannot be folded into the weights.")
    gain = (norm.weight / (running_variance + norm.eps).sqrt()).detach().double().numpy()
    return gain, norm.bias.detach().double().numpy() - running_mean.double().numpy() * gain
