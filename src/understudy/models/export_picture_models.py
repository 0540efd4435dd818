"""Export your own networks for pictures as ONNX files with cards."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from understudy.errors import MaterialsError, optional
from understudy.inference.onnx_models import reason_of
from understudy.models.export_models import onnx_from_user_classifier
from understudy.models.own_models import OnnxClassifier, Outputs
from understudy.roles import Floats, Sample
from understudy.schema import Ref
from understudy.sources.picture_pools import model_inputs

_REBUILD = "build its class again and call `load_state_dict`"


class ChannelScale(NamedTuple):
    """The mean and standard deviation of each channel of the pictures that a module learned from."""

    mean: Floats
    std: Floats

    def scaled(self, pictures: Floats) -> Floats:
        """Return (pictures - mean) / std for pictures of the shape (n, channels, height, width)."""
        scaled: Floats = (pictures - self.mean[:, None, None]) / self.std[:, None, None]
        return scaled


def channel_scale(mean: Sequence[float], std: Sequence[float], n_channels: int) -> ChannelScale | None:
    """Return the scale of a module's pictures, or None where it takes them from 0 to 1."""
    if not len(mean) and not len(std):
        return None
    made = ChannelScale(np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64))
    if made.mean.shape != (n_channels,) or made.std.shape != (n_channels,) or not (made.std > 0).all():
        raise MaterialsError(
            f"`mean` is {[*mean]} and `std` is {[*std]}, but the pictures have {n_channels} channels. "
            "Give both, with one number for each channel, and no `std` that is 0 or less."
        )
    return made


def is_torchscript(module: Any) -> bool:
    """Return whether a module was scripted or traced, without importing torch."""
    return hasattr(module, "state_dict") and hasattr(module, "save_to_buffer")


def way_to_a_module(given: Any) -> str:
    """Return the sentence that says how to get a torch module from what was given."""
    if is_torchscript(given):
        return f"Give the nn.Module that it was made from: {_REBUILD}(scripted.state_dict())."
    if isinstance(given, Mapping):
        return f"These are the weights of a module: {_REBUILD} with them, and give the module (nn.Module)."
    if isinstance(given, str | Path):
        return "Give the nn.Module that it came from."
    return "Give a torch module (nn.Module)."


def require_plain_weights(module: Any) -> None:
    """Refuse weights on a graphics card or of another precision: pictures come as 32-bit floats on the processor."""
    for weight in module.parameters():
        if weight.device.type != "cpu":
            raise MaterialsError(
                f"The torch module is on the device {str(weight.device)!r}, and pictures are on the processor. "
                "Call module.cpu() first."
            )
        if weight.is_floating_point() and weight.dtype.itemsize != 4:
            raise MaterialsError(
                f"The torch module has weights of {weight.dtype}, and pictures come as 32-bit floats. "
                "Call module.float() first."
            )


# Picture classifiers of your own: a torch module or an ONNX file over pictures, ready for a study.

N_TRIED = 4
"""Pictures that a model is tried on."""
_COLOURS = {1: "grey pictures (one channel)", 3: "colour pictures (three channels)"}
_ADVICE = {
    1: "Give the module three equal channels, such as x.expand(-1, 3, -1, -1), or one that takes grey pictures.",
    3: "Average the channels inside the module, such as x.mean(1, keepdim=True), or train one that takes colours.",
}


def export_picture_classifier(
    model: Any,
    path: str | Path,
    pictures: Sample,
    *,
    labels: Sequence[str],
    outputs: Outputs = "probabilities",
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
) -> Ref:
    """Write a classifier of pictures as ONNX, tried on some of them, and return the model to bind in a study.

    `model` is a torch module, or the path of an ONNX file, that takes floats of shape (n, channels, height, width) and
    gives one output for each of the `labels`. Pictures come as numbers from 0 to 1; `mean` and `std`, one for each
    channel, are for a module that was trained on (pictures - mean) / std, and become part of the file.

    Examples
    --------
    >>> export_picture_classifier(net, Path("net"), photos, labels=["ripe", "unripe"], outputs="logits")  # doctest: +SKIP
    """
    path = Path(path)
    if pictures.pictures is None or not pictures.pictures.shape[0]:
        raise MaterialsError(
            "There are no pictures to try the model on. Give picture_folder or picture_array .whole()."
        )
    if len(labels) < 2:
        raise MaterialsError("The model does not say what its classes are. Give labels, in the order of its outputs.")
    if outputs not in get_args(Outputs):
        raise MaterialsError(
            f"outputs = {outputs!r} does not say what the model gives. Choose from: {', '.join(get_args(Outputs))}."
        )
    rows = model_inputs(pictures.pictures.read(range(min(N_TRIED, pictures.pictures.shape[0]))))
    target = path.with_suffix(".onnx")
    content = _content(model, rows, mean, std)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    params: dict[str, Any] = {"path": target.as_posix(), "labels": [*map(str, labels)], "outputs": outputs}
    try:
        classifier = OnnxClassifier(**params)
        classifier.predict(rows)
        # A module that was traced with a fixed number of pictures fails only on another number.
        classifier.predict(rows[:1])
        if outputs == "logits":
            _require_logits(params, rows)
    except MaterialsError:
        if not isinstance(model, str | Path) or Path(model) != target:
            target.unlink()
        raise
    return Ref(name="onnx_classifier", params=params)


def _require_logits(params: dict[str, Any], rows: Floats) -> None:
    """Refuse outputs that are probabilities already: a second softmax would make every answer less certain."""
    try:
        OnnxClassifier(**{**params, "outputs": "probabilities"}).predict(rows)
    except MaterialsError:
        return
    # The logits of a single picture may sum to one by chance.
    if len(rows) > 1:
        raise MaterialsError(
            "outputs = 'logits', but all outputs are from 0 to 1 and sum to one, so they look like probabilities. Say "
            "outputs = 'probabilities', or leave the softmax out of the model."
        )


def _content(model: Any, rows: Floats, mean: Sequence[float], std: Sequence[float]) -> bytes:
    if isinstance(model, str | Path):
        if len(mean) or len(std):
            raise MaterialsError("`mean` and `std` cannot be added to an ONNX file. Give the torch module instead.")
        if not Path(model).is_file():
            raise MaterialsError(f"{model} is not a file. Put the model there, or correct the path.")
        return Path(model).read_bytes()
    if not (hasattr(model, "state_dict") and callable(model)):
        raise MaterialsError(
            f"{type(model).__name__!r} cannot become a classifier of pictures. {way_to_a_module(model)} The path of an "
            "ONNX file is accepted too."
        )
    require_plain_weights(model)
    scale = channel_scale(mean, std, rows.shape[1])
    whole = model if scale is None else _normalized(model, scale)
    whole.eval()
    _require_channels(model, rows)
    advice = (
        "Give a module that takes pictures of this size and any number of them, or set `edge` of the folder to the size it "
        "takes."
    )
    if is_torchscript(model):
        advice += f" It is TorchScript, which is not always accepted. {way_to_a_module(model)}"
    return onnx_from_user_classifier(whole, rows, takes="pictures", advice=advice)


def _normalized(module: Any, scale: ChannelScale) -> Any:
    """Put (pictures - mean) / std before a module, as a convolution that scales and shifts each channel."""
    torch = optional("torch", extra="torch")
    n_channels = len(scale.mean)
    first = torch.nn.Conv2d(n_channels, n_channels, kernel_size=1, groups=n_channels)
    with torch.no_grad():
        first.weight.copy_(torch.tensor(1 / scale.std).reshape(n_channels, 1, 1, 1))
        first.bias.copy_(torch.tensor(-scale.mean / scale.std))
    return torch.nn.Sequential(first, module)


def _require_channels(module: Any, rows: Floats) -> None:
    """Refuse a module for grey pictures where these have colours, and the other way round."""
    n_channels = rows.shape[1]
    if n_channels not in _COLOURS or _failure(module, rows) is None:
        return
    other = 4 - n_channels
    if _failure(module, np.repeat(rows[:, :1], other, axis=1)) is None:
        raise MaterialsError(
            f"The torch module takes {_COLOURS[other]}, but these are {_COLOURS[n_channels]}. {_ADVICE[n_channels]}"
        )


def _failure(module: Any, rows: Floats) -> str | None:
    torch = optional("torch", extra="torch")
    try:
        with torch.no_grad():
            module(torch.from_numpy(rows).float())
    except Exception as error:  # modules raise whatever their layers raise
        return reason_of(error)
    return None
