"""GradCAM for a torch module of your own: one map for each picture, ready to be recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.inference.onnx_session import reason_of
from understudy.models.torch_modules import (
    ChannelScale,
    channel_scale,
    is_torchscript,
    require_plain_weights,
    way_to_a_module,
)
from understudy.roles import Floats, Ints, Pixels, Sample
from understudy.sources.picture_pools import batches_of, model_inputs


def gradcam_maps(
    module: Any,
    layer: Any,
    pictures: Sample,
    targets: Sequence[int] | Ints | int | None = None,
    *,
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
) -> Floats:
    """Return the GradCAM map of each picture, as (n, rows, columns), for `understudy.explainers.record_heatmaps`.

    `module` takes pictures from 0 to 1 as (n, channels, height, width) and gives one output, best a logit, for each
    class. `layer` is one of its layers, or the name of one, such as "features.28"; the last convolution is usual. A
    target is the index of a class: one for all pictures, one for each, or by default the largest output. A map is
    ReLU(sum over channels of weight x activation), with the mean gradient of the target as the weight of a channel
    (Selvaraju et al., 2017). `mean` and `std`, one for each channel, are for a module that was trained on
    (pictures - mean) / std, as in `export_picture_classifier`.
    """
    _require_module(module)
    if pictures.pictures is None or not pictures.pictures.shape[0]:
        raise MaterialsError("There are no pictures to explain. Give picture_folder or picture_array .whole().")
    watched = _layer(module, layer)
    shape = pictures.pictures.shape
    wanted = _targets(targets, shape[0])
    scale = channel_scale(mean, std, shape[3])
    was_training = module.training
    module.eval()
    try:
        found = [
            _maps(module, watched, _inputs(pictures.pictures.read(batch), scale), wanted and wanted[batch.start : batch.stop])
            for batch in batches_of(shape, 0, shape[0])
        ]  # fmt: skip
    finally:
        module.train(was_training)
    return np.concatenate(found)


def _require_module(module: Any) -> None:
    if isinstance(module, str | Path) or not (hasattr(module, "named_modules") and callable(module)):
        raise MaterialsError(
            f"GradCAM needs gradients, which {str(module) if isinstance(module, str | Path) else type(module).__name__!r} "
            f"does not have: an ONNX file or a fitted estimator only answers. {way_to_a_module(module)} For other models, "
            "take `occlusion` or `rise`."
        )
    if is_torchscript(module):
        raise MaterialsError(
            "GradCAM looks into the layers of a module, and TorchScript does not let it. "
            f"{way_to_a_module(module)} For the answers, export_picture_classifier takes TorchScript as well."
        )
    require_plain_weights(module)


def _inputs(pixels: Pixels, scale: ChannelScale | None) -> Floats:
    rows = model_inputs(pixels)
    return rows if scale is None else scale.scaled(rows)


def _layer(module: Any, layer: Any) -> Any:
    named = dict(module.named_modules())
    if isinstance(layer, str):
        if not layer or layer not in named:
            raise MaterialsError(
                f"The module has no layer {layer!r}. Its layers are: {', '.join(name for name in named if name)}."
            )
        return named[layer]
    if not any(layer is other for other in named.values()):
        raise MaterialsError(
            f"{type(layer).__name__!r} is not a layer of the module. Give one of its layers, or its name."
        )
    return layer


def _targets(targets: Sequence[int] | Ints | int | None, n: int) -> list[int] | None:
    if targets is None:
        return None
    found = [targets] * n if isinstance(targets, int) else [int(target) for target in targets]
    if len(found) != n:
        raise MaterialsError(
            f"There are {len(found)} target classes for {n} pictures. Give one for all, or one for each."
        )
    return found


def _maps(module: Any, layer: Any, rows: Floats, targets: list[int] | None) -> Floats:
    torch = optional("torch", extra="torch")
    seen: list[Any] = []
    handle = layer.register_forward_hook(lambda _layer, _given, output: seen.append(output))
    try:
        with torch.enable_grad():
            # The pictures ask for gradients too, so that a module with frozen weights has some.
            outputs = module(torch.from_numpy(rows).float().requires_grad_())
            columns = _columns(outputs, targets)
            activations = _activations(seen)
            total = outputs.gather(1, torch.tensor(columns)[:, None]).sum()
            (slopes,) = torch.autograd.grad(total, activations)
    except MaterialsError:
        raise
    except Exception as error:  # a user's module may raise anything on inputs that it was not made for
        if "require grad" in str(error) or "allow_unused" in str(error):
            raise MaterialsError(
                "GradCAM follows gradients from the output of the module back to the layer, and there are none. Give a module "
                "that nothing detaches on the way, such as no `detach`, `no_grad` or `argmax`, or use `occlusion` or `rise`."
            ) from None
        raise MaterialsError(
            f"The torch module failed on pictures of the shape {rows.shape}: {reason_of(error)}. "
            "Give pictures of the size that it takes, and a layer between its input and its output."
        ) from None
    finally:
        handle.remove()
    weights = slopes.mean(dim=(2, 3), keepdim=True)
    maps: Floats = torch.relu((weights * activations).sum(dim=1)).detach().cpu().numpy().astype(np.float64)
    return maps


def _columns(outputs: Any, targets: list[int] | None) -> list[int]:
    if outputs.ndim != 2:
        raise MaterialsError(
            f"The module gives the shape {tuple(outputs.shape)}. It must give one row of outputs a picture."
        )
    if targets is None:
        return [int(column) for column in outputs.argmax(dim=1)]
    strange = sorted({target for target in targets if not 0 <= target < outputs.shape[1]})
    if strange:
        raise MaterialsError(
            f"Maps are asked for class number {', '.join(map(str, strange))}, but the module has {outputs.shape[1]} outputs, "
            "counted from 0."
        )
    return targets


def _activations(seen: list[Any]) -> Any:
    if len(seen) != 1 or getattr(seen[0], "ndim", 0) != 4:
        shapes = ", ".join(str(tuple(getattr(output, "shape", ()))) for output in seen) or "nothing"
        raise MaterialsError(
            f"In one pass, the layer gives {shapes}. GradCAM needs a layer that gives (n, channels, rows, columns) once, such "
            "as the last convolution."
        )
    return seen[0]
