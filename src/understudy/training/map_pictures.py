"""The pictures of a recipe with maps: creatures that are drawn, photos of pets from the data folder, or a user's own."""

import csv
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
import pandas as pd
import torch
from PIL import Image
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.roles import Ints, Table
from understudy.sources.cases import stratified_split
from understudy.sources.csv_text import write_csv
from understudy.sources.photos import LabelledFiles, files_in_classes, no_pictures
from understudy.sources.picture_pools import FilePool
from understudy.statistics.arrays import Bytes, Singles
from understudy.training.export import Ends, onnx_by_tracing
from understudy.training.map_recipes import MapRecipe
from understudy.training.protopnet import N_DRAWS, PHOTO_CHANGES, changed_pictures
from understudy.worlds.creature_sets import CreatureSet, draw_creatures
from understudy.worlds.creatures import species_names

# Labelled pictures: what a recipe with maps learns from and is tested with.


class LabelledPictures(NamedTuple):
    """One part of the pictures: (n, row, column, channel), grey levels 0 to 255."""

    pixels: Bytes
    labels: Ints


class PhotoLists(NamedTuple):
    """Which photos a network learned from, and which it never saw, as `picture_folder` reads them: path and label."""

    train: Table
    test: Table


class PictureParts(NamedTuple):
    """Training part and test part."""

    train: LabelledPictures
    test: LabelledPictures
    labels: tuple[str, ...]
    licence: str
    lists: PhotoLists | None = None
    """The files of a user's photos; None where the pictures are drawn, or their split is fixed."""


# A user's own photos: read from a folder for each class, split, and listed so that studies show the held-out ones.

FEWEST_CLASSES = 2
FEWEST_PHOTOS = 4
"""Of each class: three to learn from, and one to test with."""
_TEST_SHARE = 0.4
"""More than usual: studies show held-out photos only, and need enough of them about which the network is wrong."""
_SPLIT_SEED = 0


def own_photos(folder: Path, edge: int) -> PictureParts:
    """Read photos as squares, and hold out the same share of each class."""
    files, pixels = _different(files_in_classes(folder), edge)
    if not files.paths:
        raise no_pictures(folder)
    _require_enough(folder, files.labels)
    classes = sorted(set(files.labels))
    labels = np.array([classes.index(label) for label in files.labels])
    split = stratified_split(files.labels, test_share=_TEST_SHARE, seed=_SPLIT_SEED)
    listed = pd.DataFrame(
        {"path": [path.relative_to(folder).as_posix() for path in files.paths], "label": files.labels}
    )
    return PictureParts(
        LabelledPictures(pixels[split.train], labels[split.train]),
        LabelledPictures(pixels[split.held_out], labels[split.held_out]),
        tuple(classes),
        "The photos are the user's own.",
        PhotoLists(listed.iloc[split.train], listed.iloc[split.held_out]),
    )


def write_lists(lists: PhotoLists, folder: Path) -> None:
    """Write train.csv and test.csv next to a model."""
    for name, table in lists._asdict().items():
        write_csv(table, folder / f"{name}.csv")


def _different(files: LabelledFiles, edge: int) -> tuple[LabelledFiles, Bytes]:
    """Read each picture once, so that none is in both parts."""
    pixels = FilePool(tuple(files.paths), (edge, edge), resizes=True).read(range(len(files.paths)))
    first: dict[bytes, int] = {}
    for place, picture in enumerate(pixels):
        first.setdefault(hashlib.sha256(picture.tobytes()).digest(), place)
    places = [*first.values()]
    return LabelledFiles([files.paths[k] for k in places], [files.labels[k] for k in places]), pixels[places]


def _require_enough(folder: Path, labels: list[str]) -> None:
    classes = sorted(set(labels))
    if len(classes) < FEWEST_CLASSES:
        raise MaterialsError(
            f"{str(folder)!r} has photos of one class only, {classes[0]!r}. Put a sub-folder for each class there."
        )
    few = [name for name in classes if labels.count(name) < FEWEST_PHOTOS]
    if few:
        counts = ", ".join(f"{name!r} ({labels.count(name)})" for name in few[:10])
        raise MaterialsError(
            f"Classes with fewer than {FEWEST_PHOTOS} different photos cannot be learned and tested: {counts}. Add photos, "
            "or move these folders away."
        )


PETS = "oxford-pets-128"
_MAP_PICTURES_TEST_SHARE = 0.3
N_TEST = 1500
"""Creatures to test with: 125 of each species."""


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


def chosen_for_tests(labels: Ints, share: float = _MAP_PICTURES_TEST_SHARE) -> npt.NDArray[np.bool_]:
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


# Stored feature maps: what a frozen backbone makes of each photo and of changed copies of it, computed once.
#
# Without a graphics card, this is what takes the time. It is done by onnxruntime, which is half again as fast as torch.

_BATCH = 16


class Copies(NamedTuple):
    """Where the maps of each copy are stored, and what computes those that are not."""

    path: Path
    n: int
    device: str = "cpu"


def stored_maps(frozen: Callable[[], nn.Module], part: LabelledPictures, stored: Copies) -> Tensor:
    """Return the maps of copies of photos from files, computed and written first if they are not there.

    An interrupted run continues with the first copy that is missing.
    """
    runs: list[_Runner | _CardRunner] = []
    copies = []
    for copy in range(stored.n):
        file = stored.path.with_name(f"{stored.path.name}-copy-{copy}.npy")
        if not file.is_file():
            if not runs:
                runs.append(
                    _CardRunner(frozen()) if stored.device == "cuda" else _Runner(frozen(), part.pixels.shape[1])
                )
            file.parent.mkdir(parents=True, exist_ok=True)
            # Written under another name first, so that an interruption leaves no file that looks whole.
            unfinished = file.with_suffix(".part.npy")
            np.save(unfinished, np.concatenate([*_maps(runs[0].maps, part.pixels, copy)]))
            unfinished.replace(file)
        copies.append(np.load(file))
    return torch.from_numpy(np.stack(copies))


def maps_name(recipe: MapRecipe, part: str, pixels: Bytes) -> str:
    """Return the file name of the stored maps of a recipe, which tells everything that they depend on."""
    crops = "" if recipe.receptive_px is None else f"-crops-{recipe.receptive_px}"
    tuned = f"-before-{recipe.n_tuned}" if recipe.n_tuned else ""
    # A user may train with other photos, or with one more, and give the same folder for the model.
    own = f"-{hashlib.sha256(pixels.tobytes()).hexdigest()[:16]}" if recipe.data == "photos" else ""
    return f"{recipe.data}-{part}-{recipe.backbone}-{recipe.backbone_px}{crops}{tuned}{own}"


def _maps(maps: Callable[[Tensor], Singles], photos: Bytes, copy: int) -> Iterator[npt.NDArray[np.float16]]:
    """Yield the maps of all photos; copy 0 is the photos themselves."""
    generator = torch.Generator().manual_seed(copy)
    for start in range(0, len(photos), _BATCH):
        pictures = torch.from_numpy(photos[start : start + _BATCH]).movedim(3, 1).float() / 255
        if copy:
            draws = torch.rand(len(pictures), N_DRAWS, generator=generator)
            pictures = changed_pictures(pictures, draws, PHOTO_CHANGES)
        yield maps(pictures).astype(np.float16)


class _Runner:
    """A frozen part as onnxruntime runs it, on processor cores."""

    def __init__(self, frozen: nn.Module, n_px: int) -> None:
        content = onnx_by_tracing(frozen, torch.zeros(2, 3, n_px, n_px), Ends("pictures", ("maps",)))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self.session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def maps(self, pictures: Tensor) -> Singles:
        """Return the maps of a batch."""
        found: Singles = self.session.run(["maps"], {"pictures": pictures.numpy()})[0]
        return found


class _CardRunner:
    """A frozen part as torch runs it, on a graphics card."""

    def __init__(self, frozen: nn.Module) -> None:
        self.frozen = frozen.cuda()

    @torch.no_grad()
    def maps(self, pictures: Tensor) -> Singles:
        """Return the maps of a batch."""
        found: Singles = self.frozen(pictures.cuda()).cpu().numpy()
        return found
