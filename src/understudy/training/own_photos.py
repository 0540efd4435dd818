"""A user's own photos: read from a folder for each class, split, and listed so that studies show the held-out ones."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes
from understudy.sources.csv_text import write_csv
from understudy.sources.photos.class_folders import LabelledFiles, files_in_classes, no_pictures
from understudy.sources.photos.splits import stratified_split
from understudy.sources.picture_pools import FilePool
from understudy.training.labelled_pictures import LabelledPictures, PhotoLists, PictureParts

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
