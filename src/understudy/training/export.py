"""Export: nets of torch as ONNX files that browsers run, written by torch.onnx.export.

The exporter by tracing (`dynamo=False`) is used on purpose. The newer one needs another package, and in torch 2.13 it
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
from understudy.inference.quantization import Precision, quantized
from understudy.training.nets.classifiers import ClassifierNet, CodesBody
from understudy.training.nets.prototypes import Prototypes

OPSET = 18
"""The newest that all releases of onnxruntime-web since 1.14 run."""


class Ends(NamedTuple):
    """Names of what a model takes and shows, and of the axes of its input that may have any length."""

    given: str
    shown: tuple[str, ...]
    free_axes: tuple[str, ...] = ("rows",)


def onnx_from_module(module: nn.Module, example: Tensor, ends: Ends) -> bytes:
    """Write a module that takes any number of rows like those of the example."""
    onnx = optional("onnx", extra="torch")
    module.eval()
    with torch.no_grad():
        outputs = module(example)
    written = io.BytesIO()
    with warnings.catch_warnings(), _quiet_cpp_warnings():
        warnings.simplefilter("ignore")  # the exporter by tracing is deprecated; see above
        torch.onnx.export(
            module,
            (example,),
            written,
            input_names=[ends.given],
            output_names=list(ends.shown),
            dynamic_axes={ends.given: dict(enumerate(ends.free_axes))} | {name: {0: "rows"} for name in ends.shown},
            opset_version=OPSET,
            dynamo=False,
        )
    model = onnx.load_model_from_string(written.getvalue())
    _declare_shapes(model, [outputs] if isinstance(outputs, Tensor) else outputs)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def onnx_from_decoder(decoder: nn.Sequential, *, ends_in_sigmoid: bool, precision: Precision = "float32") -> bytes:
    """Write a decoder: one input `code` of any number of rows, one flat output."""
    layers = _without_batch_norm(decoder)
    if ends_in_sigmoid:
        layers.append(nn.Sigmoid())
    n_inputs = next(layer.in_features for layer in layers if isinstance(layer, nn.Linear))
    content = onnx_from_module(layers, torch.zeros(2, n_inputs), Ends("code", ("shown",)))
    return quantized(content, precision)


def onnx_from_classifier(net: ClassifierNet) -> bytes:
    """Write a classifier with all that it can show.

    One input (`codes` or `tokens`) and these outputs: `probabilities`, `margins`, `latents`, for prototypes
    `similarities`, and for tokens `word_vectors`, which depends on no input.
    """
    shown = ("probabilities", "margins", "latents")
    shown += ("similarities",) if isinstance(net.head, Prototypes) else ()
    if isinstance(net.body, CodesBody):
        codes = torch.zeros(2, len(net.body.starts), dtype=torch.long)
        return onnx_from_module(_ClassifierOutputs(net), codes, Ends("codes", shown))
    # The longer row comes first, as packing demands while it is traced.
    tokens = torch.tensor([[0, 0, 0], [0, 0, -1]])
    ends = Ends("tokens", (*shown, "word_vectors"), free_axes=("rows", "length"))
    return onnx_from_module(_ClassifierOutputs(net), tokens, ends)


class _ClassifierOutputs(nn.Module):
    """All outputs of a classifier at once."""

    def __init__(self, net: ClassifierNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, inputs: Tensor) -> tuple[Tensor, ...]:
        latents = self.net.latents(inputs)
        head, body = self.net.head, self.net.body
        similarities: tuple[Tensor, ...] = ()
        if isinstance(head, Prototypes):
            similarities = (head.similarities(latents),)
            evidence = head.evidence(similarities[0])
        else:
            evidence = head(latents)
        word_vectors = () if isinstance(body, CodesBody) else (body.words.weight,)
        return evidence.softmax(1), evidence[:, 1] - evidence[:, 0], latents, *similarities, *word_vectors


def _without_batch_norm(layers: nn.Sequential) -> nn.Sequential:
    """Fold each batch normalisation into the layer before it, which makes the file smaller and faster."""
    kept: list[nn.Module] = []
    for layer in deepcopy(layers).eval().double():  # folded in 64 bits, so that nothing is lost
        last = kept[-1] if kept else None
        if isinstance(layer, nn.BatchNorm1d) and isinstance(last, nn.Linear):
            kept[-1] = fuse_linear_bn_eval(last, layer)
        elif isinstance(layer, nn.BatchNorm2d) and isinstance(last, nn.ConvTranspose2d):
            kept[-1] = fuse_conv_bn_eval(last, layer, transpose=True)
        else:
            kept.append(layer)
    return nn.Sequential(*kept).float()


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
        kept = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
