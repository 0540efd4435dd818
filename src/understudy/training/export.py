"""Export: write torch nets as ONNX files that browsers run, with torch.onnx.export.

This uses the tracing exporter (`dynamo=False`) on purpose. The newer one needs another package, and in torch 2.13 it
refuses the packed sequences of a recurrent net.
"""

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from understudy.extras import optional

OPSET = 18
"""The newest operator set that all releases of onnxruntime-web since 1.14 run."""


class Ends(NamedTuple):
    """Names of a model's input and outputs, and of the axes of its input that may have any length."""

    input: str
    outputs: tuple[str, ...]
    free_axes: tuple[str, ...] = ("rows",)


def onnx_from_module(module: nn.Module, example: Tensor, ends: Ends) -> bytes:
    """Write a module that takes any number of rows like those of the example."""
    onnx = optional("onnx", extra="torch")
    module.eval()
    with torch.no_grad():
        outputs = module(example)
    model = onnx.load_model_from_string(onnx_by_tracing(module, example, ends))
    _declare_shapes(model, [outputs] if isinstance(outputs, Tensor) else outputs)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def onnx_by_tracing(module: nn.Module, example: Tensor, ends: Ends) -> bytes:
    """Trace a module on an example and write it, with the shapes that the exporter infers."""
    module.eval()
    written: Any = io.BytesIO()  # the exporter accepts a buffer, though its types name only paths
    with warnings.catch_warnings(), _quiet_cpp_warnings():
        warnings.simplefilter("ignore")  # the tracing exporter is deprecated; see above
        torch.onnx.export(
            module,
            (example,),
            written,
            input_names=[ends.input],
            output_names=list(ends.outputs),
            dynamic_axes={ends.input: dict(enumerate(ends.free_axes))} | {name: {0: "rows"} for name in ends.outputs},
            opset_version=OPSET,
            dynamo=False,
        )
    content: bytes = written.getvalue()
    return content


def onnx_from_decoder(decoder: nn.Sequential, *, ends_in_sigmoid: bool) -> bytes:
    """Write a decoder: one input `code` of any number of rows, one flat output."""
    layers = _exportable(decoder)
    if ends_in_sigmoid:
        layers.append(nn.Sigmoid())
    n_inputs = next(layer.in_features for layer in layers if isinstance(layer, nn.Linear))
    return onnx_from_module(layers, torch.zeros(2, n_inputs), Ends("code", ("shown",)))


class _Reshape(nn.Module):
    """The same as Unflatten, in a form that is exported as one node."""

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes = tuple(sizes)

    def forward(self, rows: Tensor) -> Tensor:
        return rows.reshape(-1, *self.sizes)


def _exportable(layers: nn.Sequential) -> nn.Sequential:
    """Return the same decoder in fewer nodes: each batch normalisation is folded into the layer before it."""
    fused: list[nn.Module] = []
    for layer in deepcopy(layers).eval().double():  # folded in 64 bits, so that nothing is lost
        last = fused[-1] if fused else None
        if isinstance(layer, nn.BatchNorm1d) and isinstance(last, nn.Linear):
            fused[-1] = fuse_linear_bn_eval(last, layer)
        elif isinstance(layer, nn.BatchNorm2d) and isinstance(last, nn.ConvTranspose2d):
            fused[-1] = fuse_conv_bn_eval(last, layer, transpose=True)
        else:
            fused.append(_Reshape(layer.unflattened_size) if isinstance(layer, nn.Unflatten) else layer)
    return nn.Sequential(*fused).float()


def _declare_shapes(model: Any, outputs: Sequence[Tensor]) -> None:
    """Declare the lengths of outputs that the exporter left open, because it cannot see through packed sequences."""
    for declared, output in zip(model.graph.output, outputs, strict=True):
        for axis, size in enumerate(output.shape):
            if axis > 0 or declared.name == "word_vectors":
                declared.type.tensor_type.shape.dim[axis].dim_value = size


@contextmanager
def _quiet_cpp_warnings() -> Iterator[None]:
    """Silence what torch writes past Python to the standard error: it cannot infer the shapes of packed sequences."""
    with Path(os.devnull).open("wb") as nowhere:
        saved = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
