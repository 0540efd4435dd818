"""Map reading: the maps of a model, picture by picture, and the class that each picture is explained for."""

from collections.abc import Iterator, Sequence

import numpy as np

from understudy.errors import MaterialsError
from understudy.explainers.reading import column_of, columns_of
from understudy.roles import Floats, HasMaps, Ints, Model
from understudy.sources.picture_pools import BATCH_BYTES

_WORDS = {
    "class_maps": "class maps",
    "patch_logits": "patch logits",
    "prototypes": "similarities to prototypes",
    "tree": "a tree of prototypes",
}
_EXPLAINERS = {
    "class_maps": "class_maps",
    "patch_logits": "class_maps",
    "prototypes": "prototype_matches",
    "tree": "tree_path",
}


_INSTEAD = "explain the classifier by recorded_heatmaps, occlusion or rise, which any classifier allows"


def require_maps(model: Model, methods: Sequence[str], *, explainer: str) -> HasMaps:
    """Return the model as one with maps, or refuse one whose maps are of another method."""
    wanted = " or ".join(_WORDS[method] for method in methods)
    if not isinstance(model, HasMaps):
        raise MaterialsError(
            f"{explainer!r} shows {wanted}, which an ordinary classifier ({type(model).__name__}) does not have. "
            f"Bind a map_model, the folder of a network that `understudy train` wrote, or {_INSTEAD}."
        )
    method = model.card.method
    if method not in methods:
        raise MaterialsError(
            f"{explainer!r} reads {wanted}, but {model.card.name!r} has {_WORDS[method]}. "
            f"Bind {_EXPLAINERS[method]} as the explainer, or another model."
        )
    return model


def answered_columns(model: Model, inputs: Floats, toward: str | None, targets: Ints | None) -> list[int]:
    """Return the class that each input is explained for: its target, one class for all, or what the model answers."""
    if targets is None and toward is None:
        column_of(model, None)  # refuses a model without labels
        return [int(column) for column in model.predict(inputs).argmax(axis=1)]
    return columns_of(model, toward, targets, n=len(inputs))


def maps_of_inputs(model: HasMaps, inputs: Floats) -> Iterator[Floats]:
    """Yield the maps of each picture, as (maps, rows, columns), without holding those of all pictures at once."""
    if not len(inputs):
        return
    first = model.maps(inputs[:1])
    yield first[0]
    step = max(1, BATCH_BYTES // max(first.nbytes, 8 * inputs[0].size))
    for start in range(1, len(inputs), step):
        yield from np.asarray(model.maps(inputs[start : start + step]))
