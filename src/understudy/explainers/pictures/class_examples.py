"""Class examples: photos of the class that a model answers, without its name."""

from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.explainers.pictures.explained_pictures import ExplainedPicture, pictures_of_inputs
from understudy.explainers.pictures.map_reading import answered_columns
from understudy.registry import create, register
from understudy.roles import Dataset, Explained, Floats, Ints, Model, Rng, Sample
from understudy.schema import (
    DatasetRef,
    GridCell,
    PictureGrid,
    Record,
    Ref,
    canonical_json,
    json_from_record,
)
from understudy.sources.picture_pools import model_inputs

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
