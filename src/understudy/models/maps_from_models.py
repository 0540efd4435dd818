"""Maps from your own models: GradCAM and gradients, in ONNX and torch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.errors import MaterialsError, optional
from understudy.inference.onnx_graphs import LinearHead, linear_head, loaded, with_features
from understudy.inference.onnx_models import reason_of, session_from_bytes
from understudy.models.export_picture_models import (
    ChannelScale,
    channel_scale,
    is_torchscript,
    require_plain_weights,
    way_to_a_module,
)
from understudy.roles import Floats, Ints, Sample
from understudy.sources.picture_pools import batches_of, model_inputs

# Explaining a torch module of your own: its pictures in batches, the classes that are explained, and what it must be.

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


def onnx_gradcam_maps(
    path: str | Path, pictures: Sample, targets: Sequence[int] | Ints | int | None = None, *, output: str = ""
) -> Floats:
    """Return the GradCAM map of each picture, as (n, rows, columns), for `understudy.explainers.record_heatmaps`.

    The file must end in a linear layer over the average of its last feature maps, as ResNets, MobileNets and
    EfficientNets do; a softmax may follow. There, the gradient of a logit is the same everywhere: the weight of the
    channel divided by the number of places. Targets are those of `gradcam_maps`. `output` names the output with the
    classes; by default, it is the first.
    """
    path = Path(path)
    if not path.is_file():
        raise MaterialsError(f"{path} is not a file. Put the model there, or correct the path.")
    if pictures.pictures is None or not pictures.pictures.shape[0]:
        raise MaterialsError("There are no pictures to explain. Give picture_folder or picture_array .whole().")
    model = loaded(path)
    names = [tensor.name for tensor in model.graph.output]
    if output and output not in names:
        raise MaterialsError(f"{path} has no output {output!r}. It has: {', '.join(names)}.")
    head = linear_head(model, output or names[0])
    if head is None:
        raise _no_linear_head(path)
    session = session_from_bytes(with_features(model, head), what=str(path))
    shape = pictures.pictures.shape
    wanted = targets_of_pictures(targets, shape[0])
    found = []
    for batch in batches_of(shape, 0, shape[0]):
        outputs, features = _run(
            session, (output or names[0], head.features), model_inputs(pictures.pictures.read(batch))
        )
        if features.ndim != 4 or (outputs.shape[-1], features.shape[1]) != head.weights.shape:
            raise _no_linear_head(path)
        columns = columns_of(outputs, wanted and wanted[batch.start : batch.stop])
        found.append(_onnx_gradcam_maps(head, features, columns))
    return np.concatenate(found)


def _no_linear_head(path: Path) -> MaterialsError:
    return MaterialsError(
        f"{path} does not end in a linear layer over the average of feature maps, so GradCAM would need gradients, which "
        "an ONNX file does not have. Give the torch module to `gradcam_maps`, or use `occlusion` or `rise`."
    )


def _run(session: Any, names: tuple[str, str], rows: Floats) -> tuple[Floats, Floats]:
    tensor = session.get_inputs()[0]
    # A file that was traced with one picture takes one at a time.
    step = 1 if tensor.shape[0] == 1 else len(rows)
    try:
        parts = [
            session.run(list(names), {tensor.name: rows[start : start + step].astype(np.float32)})
            for start in range(0, len(rows), step)
        ]
    except MaterialsError:
        raise
    except Exception as error:  # onnxruntime's exceptions have no common base class
        raise MaterialsError(
            f"The ONNX file failed on pictures of the shape {rows.shape}: {reason_of(error)}. Give pictures of the size that "
            "it takes, such as by `edge` of the folder."
        ) from None
    outputs, features = (np.concatenate(values).astype(np.float64) for values in zip(*parts, strict=True))
    return outputs, features


def _onnx_gradcam_maps(head: LinearHead, features: Floats, columns: list[int]) -> Floats:
    n_places = features.shape[2] * features.shape[3]
    evidence: Floats = np.einsum("nchw,nc->nhw", features, head.weights[columns]) / n_places
    return np.asarray(np.maximum(evidence, 0))


# GradCAM for a torch module of your own: one map for each picture, ready to be recorded.


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
        explained, pictures, targets, lambda batch: _torch_gradcam_maps(module, watched, batch), mean=mean, std=std
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


def _torch_gradcam_maps(module: Any, layer: Any, batch: Batch) -> Floats:
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


# Integrated gradients for a torch module of your own: one map for each picture, ready to be recorded.


def integrated_gradients_maps(
    module: Any,
    pictures: Sample,
    targets: Sequence[int] | Ints | int | None = None,
    *,
    n_steps: int = 50,
    mean: Sequence[float] = (),
    std: Sequence[float] = (),
) -> Floats:
    """Return the integrated gradients of each picture, as (n, height, width), to be recorded.

    They add up the gradients in `n_steps` steps of the straight way from a black picture, and sum over colours
    (Sundararajan, Taly and Yan, 2017), so that a map sums to the difference between the two outputs. Module, targets,
    `mean` and `std` are those of `gradcam_maps`.
    """
    if n_steps < 1:
        raise MaterialsError(f"n_steps is {n_steps}. Give 1 or more; 50 is usual.")
    explained = ExplainedModule(module, "The method of integrated gradients")
    return maps_of_pictures(
        explained, pictures, targets, lambda batch: _torch_gradients_maps(module, batch, n_steps), mean=mean, std=std
    )


def _torch_gradients_maps(module: Any, batch: Batch, n_steps: int) -> Floats:
    torch = optional("torch", extra="torch")
    rows, blank = torch.from_numpy(batch.rows).float(), torch.from_numpy(batch.blank).float()
    with torch.no_grad():
        columns = torch.tensor(columns_of(module(rows), batch.targets))[:, None]
    total = torch.zeros_like(rows)
    for step in range(n_steps):
        # In the middle of each step, where the sum converges fastest.
        on_the_way = (blank + (step + 0.5) / n_steps * (rows - blank)).requires_grad_()
        with torch.enable_grad():
            explained = module(on_the_way).gather(1, columns).sum()
            (slopes,) = torch.autograd.grad(explained, on_the_way)
        total += slopes
    maps: Floats = ((rows - blank) * total / n_steps).sum(dim=1).numpy().astype(np.float64)
    return maps
