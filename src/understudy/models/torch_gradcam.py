"""GradCAM for a torch module of your own: one map for each picture, ready to be recorded."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.models.torch_explaining import Batch, ExplainedModule, columns_of, maps_of_pictures, require_module
from understudy.roles import Floats, Ints, Sample


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
    explained = ExplainedModule(module, "GradCAM")
    require_module(explained)
    watched = _layer(module, layer)
    return maps_of_pictures(
        explained, pictures, targets, lambda batch: _maps(module, watched, batch), mean=mean, std=std
    )


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


def _maps(module: Any, layer: Any, batch: Batch) -> Floats:
    torch = optional("torch", extra="torch")
    seen: list[Any] = []
    handle = layer.register_forward_hook(lambda _layer, _given, output: seen.append(output))
    try:
        with torch.enable_grad():
            # The pictures ask for gradients too, so that a module with frozen weights has some.
            outputs = module(torch.from_numpy(batch.rows).float().requires_grad_())
            columns = columns_of(outputs, batch.targets)
            activations = _activations(seen)
            total = outputs.gather(1, torch.tensor(columns)[:, None]).sum()
            (slopes,) = torch.autograd.grad(total, activations)
    finally:
        handle.remove()
    weights = slopes.mean(dim=(2, 3), keepdim=True)
    maps: Floats = torch.relu((weights * activations).sum(dim=1)).detach().cpu().numpy().astype(np.float64)
    return maps


def _activations(seen: list[Any]) -> Any:
    if len(seen) != 1 or getattr(seen[0], "ndim", 0) != 4:
        shapes = ", ".join(str(tuple(getattr(output, "shape", ()))) for output in seen) or "nothing"
        raise MaterialsError(
            f"In one pass, the layer gives {shapes}. GradCAM needs a layer that gives (n, channels, rows, columns) once, such "
            "as the last convolution."
        )
    return seen[0]
