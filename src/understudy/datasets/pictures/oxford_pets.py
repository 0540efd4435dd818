"""Oxford pets: photos of 37 breeds of cats and dogs."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.data_folder import data_folder
from understudy.sources.photos import PetPool, pets_from_folder, stratified_split
from understudy.sources.photos.annotations import Region
from understudy.sources.photos.pets import FOLDER, STORED_EDGE
from understudy.sources.picture_pools import PoolPart
from understudy.sources.picture_samples import sample_of_pictures


@register("datasets", "oxford_pets")
class OxfordPets(Record):
    """Draws photos of pets of one part, without replacement. `label` is the breed, `kind` is cat or dog.

    The photos are those of the official training list that have a box around the head, so the split is our own: the same
    share of each breed, by a seed.
    """

    part: Literal["train", "test", "all"] = "test"
    test_share: float = Field(default=0.25, gt=0, lt=1)
    split_seed: int = Field(default=0, ge=0, le=2**64 - 1)
    edge: int = Field(default=STORED_EDGE, ge=16, le=1024)
    """Pixels a side."""
    folder: str = ""
    """The folder with the photos; by default, where `understudy data get oxford-pets` puts them."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n photos in random order."""
        numbers = self._numbers()
        return self._sample([numbers[int(k)] for k in rng.permutation(len(numbers))[:n]])

    def whole(self) -> Sample:
        """Return every photo of the part, in the order of the list."""
        return self._sample(self._numbers())

    def regions(self, sample: Sample, *, of: Literal["outline", "head"] = "outline") -> Region:
        """Return where the pet or its head is in each photo of a sample, (n, edge, edge)."""
        pool = self._pool()
        numbers = [int(number) for number in sample.attributes["number"]]
        return pool.outlines(numbers) if of == "outline" else pool.heads(numbers)

    def _pool(self) -> PetPool:
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / FOLDER
        return PetPool(folder, pets_from_folder(folder), self.edge)

    def _numbers(self) -> list[int]:
        labels = [pet.breed for pet in self._pool().pets]
        if self.part == "all":
            return list(range(len(labels)))
        split = stratified_split(labels, test_share=self.test_share, seed=self.split_seed)
        return [int(number) for number in (split.train if self.part == "train" else split.held_out)]

    def _sample(self, numbers: list[int]) -> Sample:
        pool = self._pool()
        pets = [pool.pets[number] for number in numbers]
        attributes: dict[str, Sequence[str | float | int | bool]] = {
            "label": [pet.breed for pet in pets],
            "kind": [pet.kind for pet in pets],
            "number": numbers,
        }
        return sample_of_pictures(PoolPart(pool, numbers), attributes)
