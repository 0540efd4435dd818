"""Pictures as explainers see them: what a model answers, its maps, and examples of its classes."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.inputs import column_of, columns_of
from understudy.registry import create, register
from understudy.roles import Dataset, Explained, Floats, HasMaps, Ints, Model, Rng, Sample
from understudy.schema import (
    DatasetRef,
    GridCell,
    PictureGrid,
    Record,
    Ref,
    ShownPicture,
    canonical_json,
    json_from_record,
)
from understudy.sources.picture_pools import BATCH_BYTES, key_of_pixels, model_inputs
from understudy.sources.pictures import picture_from_pixels, pixels_from_values

# Explained pictures: the inputs of a model, turned back into the picture that people see.


class ExplainedPicture(NamedTuple):
    """A picture as an explanation shows it: the file of the item itself, so that a page loads it once."""

    key: str
    """The key of its item."""
    shown: ShownPicture
    content: bytes


def pictures_of_inputs(inputs: Floats, *, method: str) -> Iterator[ExplainedPicture]:
    """Yield the picture behind each input, or refuse inputs that are not pictures."""
    if inputs.ndim != 4 or inputs.shape[1] not in (1, 3):
        raise MaterialsError(
            f"{method!r} explains pictures, but the model reads inputs of the shape {inputs.shape}. Bind a dataset whose "
            "pictures the model reads as (n, channels, height, width), such as picture_folder or picture_array."
        )
    for values in inputs:
        # Inputs are bytes divided by 255, so rounding gives the bytes back exactly.
        pixels = pixels_from_values(values).transpose(1, 2, 0).copy()
        file = picture_from_pixels(pixels)
        height, width = pixels.shape[:2]
        yield ExplainedPicture(
            key_of_pixels(pixels), ShownPicture(file=file.address, width=width, height=height), file.content
        )


# Map reading: the maps of a model, picture by picture, and the class that each picture is explained for.

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


N_SEARCHED = 5000
"""How many photos are looked through for examples."""


@register("explainers", "class_examples")
class ClassExamples(Record):
    """Shows some photos whose label is the class that the model answers; never the explained photo itself."""

    kinds: ClassVar[frozenset[str]] = frozenset({"picture_grid"})
    dataset: DatasetRef
    """Labelled photos, such as those that the model learned from."""
    n: int = Field(default=3, ge=1, le=12)
    seed: int = Field(default=0, ge=0, le=2**64 - 1)
    """The seed that the photos are drawn with; every explanation of a class shows the same ones."""
    caption: str = ""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return a row of photos for each input."""
        pictures = list(pictures_of_inputs(inputs, method="class_examples"))
        labels = [model.labels[column] for column in answered_columns(model, inputs, None, targets)] if pictures else []
        explanations, files = [], dict[str, bytes]()
        for picture, label in zip(pictures, labels, strict=True):
            examples = self._examples(label, picture)
            files |= {example.shown.file: example.content for example in examples}
            cells = tuple(GridCell(picture=example.shown) for example in examples)
            explanations.append(PictureGrid(rows=(cells,), caption=self.caption))
        return Explained(explanations, files)

    def _examples(self, label: str, explained: ExplainedPicture) -> list[ExplainedPicture]:
        chosen: list[ExplainedPicture] = []
        for example in self._of_class(label):
            if example.key != explained.key and len(chosen) < self.n:
                chosen.append(example)
        if len(chosen) < self.n:
            raise MaterialsError(
                f"class_examples shows {self.n} photos of each class, but its dataset has {len(chosen)} others of "
                f"{label!r}. Give more photos, or ask for fewer."
            )
        return chosen

    def _of_class(self, label: str) -> Iterator[ExplainedPicture]:
        pool = _pool(canonical_json(json_from_record(self.dataset)), self.seed)
        # One more than wanted, because the explained photo may be among them.
        places = [k for k, own in enumerate(pool.labels) if own == label][: self.n + 1]
        if places and pool.sample.pictures is not None:
            yield from pictures_of_inputs(model_inputs(pool.sample.pictures.read(places)), method="class_examples")


class _Pool(NamedTuple):
    sample: Sample
    labels: list[str]


@lru_cache(maxsize=2)
def _pool(written: str, seed: int) -> _Pool:
    dataset: Dataset = create("datasets", Ref.model_validate_json(written))
    sample = dataset.draw(N_SEARCHED, np.random.default_rng(seed))
    if sample.pictures is None or "label" not in sample.attributes:
        raise MaterialsError(
            "class_examples needs photos with the attribute 'label', which its dataset does not have. "
            "Use picture_folder, or another dataset of labelled photos."
        )
    return _Pool(sample, [str(label) for label in sample.attributes["label"]])


# Own scale: maps that fill a scale from 0 to 1, so that its numbers do not tell how much evidence there is.


class OwnScale(NamedTuple):
    """The maps of one picture and the limits that they fill together."""

    grids: tuple[Floats, ...]
    limits: tuple[float, float]


def on_own_scale(grids: Sequence[Floats], *, is_signed: bool) -> OwnScale:
    """Stretch maps to 0 to 1, or around 0 to -1 to 1 for maps with two signs; a flat map is 0 everywhere."""
    if is_signed:
        reach = max(float(np.abs(grid).max()) for grid in grids) or 1.0
        return OwnScale(tuple(grid / reach for grid in grids), (-1.0, 1.0))
    low, high = min(float(grid.min()) for grid in grids), max(float(grid.max()) for grid in grids)
    span = high - low or 1.0
    return OwnScale(tuple((grid - low) / span for grid in grids), (0.0, 1.0))
