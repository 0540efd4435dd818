"""GradCAM for an ONNX file of your own with a linear head: one map for each picture, without gradients and without torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import MaterialsError
from understudy.inference.linear_head import LinearHead, linear_head, loaded, with_features
from understudy.inference.onnx_session import reason_of, session_from_bytes
from understudy.models.torch_explaining import columns_of, targets_of_pictures
from understudy.roles import Floats, Ints, Sample
from understudy.sources.picture_pools import batches_of, model_inputs


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
        found.append(_maps(head, features, columns))
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


def _maps(head: LinearHead, features: Floats, columns: list[int]) -> Floats:
    n_places = features.shape[2] * features.shape[3]
    evidence: Floats = np.einsum("nchw,nc->nhw", features, head.weights[columns]) / n_places
    return np.asarray(np.maximum(evidence, 0))
