"""Explaining a torch module of your own: its pictures in batches, the classes that are explained, and what it must be."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.inference.onnx_session import reason_of
from understudy.models.torch_modules import (
    ChannelScale,
    channel_scale,
    is_torchscript,
    require_plain_weights,
    way_to_a_module,
)
from understudy.roles import Floats, Ints, Sample
from understudy.sources.picture_pools import batches_of, model_inputs

_IN_PLACE_OF_GRADIENTS = (
    "For an ONNX file with a linear head, `onnx_gradcam_maps` needs none; for other models, take `occlusion` or `rise`."
)


class ExplainedModule(NamedTuple):
    """A module, by the method that explains it."""

    module: Any
    method: str
    """What sentences call the method, such as GradCAM."""


class Batch(NamedTuple):
    """Some pictures as the module takes them."""

    rows: Floats
    blank: Floats
    """A black picture, (channels, 1, 1)."""
    targets: list[int] | None
    """The class that is explained of each; None for the largest output."""


def maps_of_pictures(
    explained: ExplainedModule,
    pictures: Sample,
    targets: Sequence[int] | Ints | int | None,
    maps: Callable[[Batch], Floats],
    *,
    mean: Sequence[float],
    std: Sequence[float],
) -> Floats:
    """Return the maps of all pictures, computed batch by batch with the module in evaluation mode."""
    require_module(explained)
    if pictures.pictures is None or not pictures.pictures.shape[0]:
        raise MaterialsError("There are no pictures to explain. Give picture_folder or picture_array .whole().")
    shape = pictures.pictures.shape
    wanted = targets_of_pictures(targets, shape[0])
    scale = channel_scale(mean, std, shape[3])
    blank = _scaled(np.zeros((1, shape[3], 1, 1)), scale)[0]
    was_training = explained.module.training
    explained.module.eval()
    try:
        found = []
        for batch in batches_of(shape, 0, shape[0]):
            rows = _scaled(model_inputs(pictures.pictures.read(batch)), scale)
            found.append(_maps(explained, maps, Batch(rows, blank, wanted and wanted[batch.start : batch.stop])))
    finally:
        explained.module.train(was_training)
    return np.concatenate(found)


def columns_of(outputs: Any, targets: list[int] | None) -> list[int]:
    """Return the output that is explained of each picture, or say why there is none."""
    if outputs.ndim != 2:
        raise MaterialsError(
            f"The model gives the shape {tuple(outputs.shape)}. It must give one row of outputs a picture."
        )
    if targets is None:
        return [int(column) for column in outputs.argmax(1)]
    strange = sorted({target for target in targets if not 0 <= target < outputs.shape[1]})
    if strange:
        raise MaterialsError(
            f"Maps are asked for class number {', '.join(map(str, strange))}, but the model has {outputs.shape[1]} outputs, "
            "counted from 0."
        )
    return targets


def require_module(explained: ExplainedModule) -> None:
    """Refuse what has no gradients to follow."""
    module, method = explained
    if isinstance(module, str | Path) or not (hasattr(module, "named_modules") and callable(module)):
        raise MaterialsError(
            f"{method} needs gradients, which {str(module) if isinstance(module, str | Path) else type(module).__name__!r} "
            f"does not have: an ONNX file or a fitted estimator only answers. {way_to_a_module(module)} "
            f"{_IN_PLACE_OF_GRADIENTS}"
        )
    if is_torchscript(module):
        raise MaterialsError(
            f"{method} looks into a module, and TorchScript does not let it. "
            f"{way_to_a_module(module)} For the answers, export_picture_classifier takes TorchScript as well."
        )
    require_plain_weights(module)


def _maps(explained: ExplainedModule, maps: Callable[[Batch], Floats], batch: Batch) -> Floats:
    try:
        return maps(batch)
    except MaterialsError:
        raise
    except Exception as error:  # a user's module may raise anything on inputs that it was not made for
        if "require grad" in str(error) or "allow_unused" in str(error):
            raise MaterialsError(
                f"{explained.method} follows gradients back from the output of the module, and there are none. Give a module "
                "that nothing detaches on the way, such as no `detach`, `no_grad` or `argmax`, or use `occlusion` or `rise`."
            ) from None
        raise MaterialsError(
            f"The torch module failed on pictures of the shape {batch.rows.shape}: {reason_of(error)}. "
            "Give pictures of the size that it takes and, for GradCAM, a layer between its input and its output."
        ) from None


def _scaled(rows: Floats, scale: ChannelScale | None) -> Floats:
    return rows if scale is None else scale.scaled(rows)


def targets_of_pictures(targets: Sequence[int] | Ints | int | None, n: int) -> list[int] | None:
    """Return the class that is explained of each of n pictures; None for the largest output."""
    if targets is None:
        return None
    found = [targets] * n if isinstance(targets, int) else [int(target) for target in targets]
    if len(found) != n:
        raise MaterialsError(
            f"There are {len(found)} target classes for {n} pictures. Give one for all, or one for each."
        )
    return found
