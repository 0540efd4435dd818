"""Pictures of one grey level each, a model that reads it and errs in known ways, and explainers that say what they were asked."""

from typing import ClassVar

import numpy as np
import pytest

from understudy import registry
from understudy.explainers.picture_inputs import pictures_of_inputs
from understudy.roles import Explained, Floats, Ints, Model, Rng, Sample
from understudy.schema import Json, PrototypeMatch, PrototypeMatches, Record, Region, heatmap_from_arrays
from understudy.sources.picture_pools import MemoryPool, sample_of_pictures

N_CLASSES = 6
EDGE = 8


class Tiles(Record):
    """Pictures whose first pixel says the class; the second says how far away the model's answer is."""

    is_always_right: bool = False
    n_classes: int = N_CLASSES

    def draw(self, n: int, rng: Rng) -> Sample:
        n = min(n, 400)
        labels = rng.integers(self.n_classes, size=n)
        # A mistake is one or four classes away: sometimes among the first classes, sometimes not.
        shifts = np.zeros(n, dtype=int) if self.is_always_right else rng.choice([0, 1, 4], p=[0.6, 0.2, 0.2], size=n)
        pixels = rng.integers(256, size=(n, EDGE, EDGE, 3))
        # Some are plainer than others, so that their files differ in length.
        for picture, n_rows in zip(pixels, rng.integers(1, EDGE, size=n), strict=True):
            picture[n_rows:] = 0
        pixels[:, 0, 0, 0], pixels[:, 0, 0, 1] = labels * 10, shifts * 10
        return sample_of_pictures(MemoryPool(pixels.astype(np.uint8)), {"label": [f"kind {k}" for k in labels]})


class TileModel(Record):
    """Reads the class and the mistake off the first pixel; the classes after its answer are less and less likely."""

    n_classes: int = N_CLASSES

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(f"kind {k}" for k in range(self.n_classes))

    def predict(self, inputs: Floats) -> Floats:
        first = np.rint(inputs[:, :2, 0, 0] * 255 / 10).astype(int)
        answers = (first[:, 0] + first[:, 1]) % self.n_classes
        distance = (np.arange(self.n_classes)[None] - answers[:, None]) % self.n_classes
        odds = 0.5**distance
        shares: Floats = odds / odds.sum(axis=1, keepdims=True)
        return shares


class TargetMaps(Record):
    """A heat map from 0 to the explained class, so that a page shows which class was asked for."""

    kinds: ClassVar[frozenset[str]] = frozenset({"heatmap"})

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        chosen = model.predict(inputs).argmax(axis=1) if targets is None else targets
        pictures = list(pictures_of_inputs(inputs, method="target_maps"))
        maps = [
            heatmap_from_arrays(picture.shown, [[[0.0, float(target)]]], [model.labels[target]])
            for picture, target in zip(pictures, chosen, strict=True)
        ]
        return Explained(maps, {picture.shown.file: picture.content for picture in pictures})


class TargetRows(Record):
    """Two rows for each class; the hidden similarities name the class."""

    kinds: ClassVar[frozenset[str]] = frozenset({"prototype_matches"})

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        chosen = model.predict(inputs).argmax(axis=1) if targets is None else targets
        (picture,) = pictures_of_inputs(inputs, method="target_rows")
        region = Region(left=0, top=0, width=1, height=1)
        rows = tuple(
            PrototypeMatch(row_id=f"r{k}", region=region, source=picture.shown, source_region=region) for k in range(2)
        )
        truth: Json = {
            "rows": [{"row_id": f"r{k}", "similarity": float(chosen[0]) + k / 10, "rank": 2 - k} for k in range(2)]
        }
        matches = PrototypeMatches(picture=picture.shown, rows=rows)
        return Explained([matches], {picture.shown.file: picture.content}, [truth])


def register_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the entries known for one test."""
    registry.names("datasets"), registry.names("models"), registry.names("explainers")
    for catalogue, name, entry in (
        ("datasets", "tiles", Tiles),
        ("models", "tile_model", TileModel),
        ("explainers", "target_maps", TargetMaps),
        ("explainers", "target_rows", TargetRows),
    ):
        monkeypatch.setitem(registry._entries, (catalogue, name), entry)
