"""Export: write torch nets as ONNX files that browsers run, with torch.onnx.export.

This uses the tracing exporter (`dynamo=False`) on purpose. The newer one needs another package, and in torch 2.13 it
refuses the packed sequences of a recurrent net.
"""

import io
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

from understudy.errors import MaterialsError, optional
from understudy.training.flow_nets import PictureCnn
from understudy.training.picture_data import LEVELS

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


# Export of networks for pictures: classifiers and observers as ONNX files that take numbers from 0 to 1.

INPUT = "pictures"
"""(picture, channel, row, column), from 0 to 1."""


def onnx_from_picture_classifier(net: PictureCnn, n_pixels: int) -> bytes:
    """Write a classifier with the outputs `probabilities`, `margins` and `latents`, its last hidden layer."""
    return _written(_Classifier(net), n_pixels, ("probabilities", "margins", "latents"))


def onnx_from_observer(net: PictureCnn, n_pixels: int) -> bytes:
    """Write an observer with the output `attributes`, in their own units."""
    return _written(_Observer(net), n_pixels, ("attributes",))


def _written(module: nn.Module, n_pixels: int, outputs: tuple[str, ...]) -> bytes:
    return onnx_from_module(module.cpu(), torch.zeros(2, 3, n_pixels, n_pixels), Ends(INPUT, outputs))


class _Classifier(nn.Module):
    """All outputs of a classifier at once."""

    def __init__(self, net: PictureCnn) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> tuple[Tensor, ...]:
        latents = self.net.head[:-1](_features(self.net, pictures))
        margins = self.net.head[-1](latents)[:, -1]
        return torch.stack([-margins, margins], 1).sigmoid(), margins, latents


class _Observer(nn.Module):
    """The attributes that an observer sees; the class, its last output, is left out."""

    def __init__(self, net: PictureCnn) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> Tensor:
        seen = self.net.head(_features(self.net, pictures))
        return (seen * self.net.spread + self.net.centre)[:, :-1]


def _features(net: PictureCnn, pictures: Tensor) -> Tensor:
    # What `levels_to_values` makes of the grey levels that the numbers stand for.
    return net.body((pictures * (LEVELS - 1) + 0.5) / LEVELS - 0.5).flatten(1)


# Weights of several nets in files of limited size, in half precision.
#
# A flow whose weights are rounded is another flow, just as invertible; so measure what was read back, not what was
# written.

PART_BYTES = 15 * 2**20


def write_parts(nets: Mapping[str, nn.Module], folder: Path, *, part_bytes: int = PART_BYTES) -> tuple[Path, ...]:
    """Write the weights of nets as weights-0.part, weights-1.part and so on, and return the files."""
    content = io.BytesIO()
    torch.save({name: _halved(net) for name, net in nets.items()}, content)
    blob = content.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    # Parts of a larger net that was here before would otherwise be read with these.
    for old in folder.glob("weights-*.part"):
        old.unlink()
    paths = []
    for number, start in enumerate(range(0, len(blob), part_bytes)):
        path = folder / f"weights-{number}.part"
        path.write_bytes(blob[start : start + part_bytes])
        paths.append(path)
    return tuple(paths)


def read_parts(nets: Mapping[str, nn.Module], folder: Path) -> None:
    """Read weights back into nets of the same shapes; further nets in the files are left alone."""
    paths = sorted(folder.glob("weights-*.part"), key=lambda path: int(path.stem.removeprefix("weights-")))
    if not paths:
        raise MaterialsError(f"There are no weights in {folder}. Name the folder that has weights-0.part.")
    blob = b"".join(path.read_bytes() for path in paths)
    try:
        content = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    except Exception:  # reading a damaged file raises whatever its bytes happen to mean
        raise MaterialsError(
            f"The weights in {folder} cannot be read. Check that all parts are there, each from the same run."
        ) from None
    missing = [name for name in nets if name not in content]
    if missing:
        raise MaterialsError(f"The weights in {folder} lack {', '.join(missing)}. They have: {', '.join(content)}.")
    for name, net in nets.items():
        net.load_state_dict(content[name])


def _halved(net: nn.Module) -> dict[str, Tensor]:
    return {name: _half(value.detach().cpu()) for name, value in net.state_dict().items()}


def _half(value: Tensor) -> Tensor:
    if value.is_floating_point():
        return value.half()
    # Orders of channels and counts of batches; 16 bits reach as far as any number of channels here.
    return value.to(torch.int16) if value.numel() > 1 else value
