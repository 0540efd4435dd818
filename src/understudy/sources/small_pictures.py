"""Small grey pictures as published, and splits by instance."""

import gzip
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy.errors import MaterialsError
from understudy.statistics.arrays import Bytes, Ints

EDGE = 28


class Digits(NamedTuple):
    """Pictures as rows of 784 bytes, and their labels."""

    train_pictures: Bytes
    train_labels: Bytes
    test_pictures: Bytes
    test_labels: Bytes


def digits_from_folder(folder: Path) -> Digits:
    """Read the four files of MNIST or Fashion-MNIST, compressed or not."""
    parts = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
    paths = [folder / name if (folder / name).is_file() else folder / f"{name}.gz" for name in parts]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise MaterialsError(f"{folder} lacks {', '.join(missing)}. Run: understudy data get {folder.name}")
    train, train_labels, test, test_labels = (array_from_idx(path) for path in paths)
    return Digits(train.reshape(len(train), -1), train_labels, test.reshape(len(test), -1), test_labels)


def array_from_idx(path: Path) -> Bytes:
    """Read one IDX file of bytes."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise MaterialsError(f"{path} cannot be unpacked ({error}). Fetch it again.") from None
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise MaterialsError(f"{path} is not an IDX file of bytes. Fetch it again.")
    n_axes = content[3]
    start = 4 + 4 * n_axes
    shape = struct.unpack(f">{n_axes}I", content[4:start])
    values = np.frombuffer(content, dtype=np.uint8, offset=start)
    if values.size != int(np.prod(shape)):
        raise MaterialsError(
            f"{path} holds {values.size} bytes, but its header promises {' x '.join(map(str, shape))}."
        )
    return values.reshape(shape)


# Instance splits: which instances a model learns from, and which are held out.


class Split(NamedTuple):
    """Indices of the training and held-out instances, in the order in which they are used."""

    train: Ints
    held_out: Ints


def tenth_held_out(n: int) -> Split:
    """Hold out the first tenth of a fixed shuffle: the split of Ross et al. (2021)."""
    order = np.arange(n, dtype=np.int64)
    # The published split was made by this legacy generator; a new one would hold out other instances.
    np.random.RandomState(0).shuffle(order)
    n_held_out = n // 10
    return Split(train=order[n_held_out:], held_out=order[:n_held_out])
