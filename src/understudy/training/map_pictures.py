"""The pictures of a recipe with maps: creatures that are drawn, photos of pets from the data folder, or a user's own."""

import csv
import io
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes
from understudy.sources.cases import Ints
from understudy.sources.scenes.creatures.sets import CreatureSet, draw_creatures
from understudy.sources.scenes.creatures.species import species_names
from understudy.training.labelled_pictures import LabelledPictures, PictureParts
from understudy.training.map_recipes import MapRecipe
from understudy.training.own_photos import own_photos

PETS = "oxford-pets-128"
_TEST_SHARE = 0.3
N_TEST = 1500
"""Creatures to test with: 125 of each species."""
_SPLIT_SEED = 0


def picture_parts(recipe: MapRecipe, data: Path) -> PictureParts:
    """Return the pictures of a recipe; `data` is the data folder, or that of a user's photos."""
    if recipe.data == "photos":
        return own_photos(data, recipe.edge)
    return creatures(data, recipe.n_train) if recipe.data == "creatures" else pets(data)


def creatures(data: Path, n_train: int, n_test: int = N_TEST) -> PictureParts:
    """Draw creatures, or read those that were drawn before; the test part is the first that studies show."""
    train, test = (
        _drawn(data / f"creatures-96-{part}-{n}.npz", CreatureSet(n=n, part=part))
        for part, n in (("train", n_train), ("test", n_test))
    )
    return PictureParts(train, test, species_names(), "MIT; the creatures are drawn by understudy.")


def _drawn(path: Path, chosen: CreatureSet) -> LabelledPictures:
    if not path.is_file():
        drawn = draw_creatures(chosen)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, pictures=drawn.pictures, labels=drawn.labels)
        part.replace(path)
    with np.load(path) as arrays:
        return LabelledPictures(arrays["pictures"], arrays["labels"])


def pets(data: Path) -> PictureParts:
    """Read the photos of 37 breeds, and split those of each breed by a fixed seed."""
    folder = data / PETS
    if not (folder / "images.zip").is_file():
        raise MaterialsError(
            f"{folder} has no photos of pets. Put images.zip and annotations.csv of the Oxford-IIIT Pet set there, "
            "reduced to 128 pixels, or name another data folder with --data."
        )
    with (folder / "annotations.csv").open(encoding="utf-8", newline="") as lines:
        rows = [*csv.DictReader(lines)]
    with zipfile.ZipFile(folder / "images.zip") as photos:
        pixels = np.stack([_pixels(photos.read(f"{row['image']}.jpg")) for row in rows])
    breeds = sorted({row["breed"] for row in rows})
    labels = np.array([breeds.index(row["breed"]) for row in rows])
    is_test = chosen_for_tests(labels)
    return PictureParts(
        LabelledPictures(pixels[~is_test], labels[~is_test]),
        LabelledPictures(pixels[is_test], labels[is_test]),
        tuple(breed.replace("_", " ") for breed in breeds),
        "Photos: Oxford-IIIT Pet dataset, CC BY-SA 4.0. Backbone: EfficientNet-lite, Apache-2.0.",
    )


def chosen_for_tests(labels: Ints, share: float = _TEST_SHARE) -> npt.NDArray[np.bool_]:
    """Tell which pictures are for testing: the same share of each class, drawn by a fixed seed."""
    rng = np.random.default_rng(_SPLIT_SEED)
    is_test = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == label))
        is_test[members[: round(share * len(members))]] = True
    return is_test


def _pixels(content: bytes) -> Bytes:
    with Image.open(io.BytesIO(content)) as photo:
        return np.asarray(photo.convert("RGB"))
