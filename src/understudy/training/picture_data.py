"""Pictures to learn from: arrays on disk, worlds that are drawn, and tensors.

A folder has, for each set NAME, `NAME-pictures.npy` (uint8: picture, row, column, channel), `NAME-attributes.npy` (float32:
picture, attribute) and, except for clones, `NAME-labels.npy` (0 or 1); and `attributes.json` with the name of the
world and of its attributes. Sets are `train`, `test`, `unbiased`, and `clone-ATTRIBUTE`: the test pictures with one attribute drawn
anew.
"""

import importlib
import json
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.statistics.arrays import Bytes, Floats

LEVELS = 256
_NAMES = "attributes.json"
_ATTRIBUTES, _PICTURES = "-attributes.npy", "-pictures.npy"
CHUNK = 500
HELD_OUT = 20
"""One unbiased picture in so many tests an observer."""


@dataclass(frozen=True)
class PictureRows:
    """One set of pictures as tensors on the device that learns."""

    levels: Tensor
    """Grey levels 0 to 255: picture, row, column, channel."""
    attributes: Tensor
    labels: Tensor

    def __len__(self) -> int:
        """Count the pictures."""
        return len(self.levels)


@dataclass(frozen=True)
class PictureFolder:
    """A folder of sets of pictures."""

    path: Path

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names of the attributes, in the order of their columns."""
        stored = self._named()
        return tuple(stored["attributes"] if isinstance(stored, dict) else stored)

    @property
    def world(self) -> str:
        """The world that drew the attributes; empty in older folders, which do not say."""
        stored = self._named()
        return str(stored["world"]) if isinstance(stored, dict) else ""

    def rows(self, name: str, device: torch.device) -> PictureRows:
        """Return one set; clones have the labels of the test pictures, whatever was changed."""
        labels_of = "test" if name.startswith("clone-") else name
        levels, attributes = self._array(f"{name}-pictures"), self._array(f"{name}-attributes")
        labels = self._array(f"{labels_of}-labels")
        if levels.ndim != 4 or levels.dtype != torch.uint8 or levels.shape[3] != 3:
            raise MaterialsError(
                f"{name}-pictures.npy in {self.path} has {tuple(levels.shape)} values of {levels.dtype}. Write uint8 "
                "values (picture, row, column, 3 channels)."
            )
        if not len(levels) == len(attributes) == len(labels):
            raise MaterialsError(
                f"The set {name!r} in {self.path} has {len(levels)} pictures, {len(attributes)} rows of attributes and "
                f"{len(labels)} labels. Write as many of each."
            )
        return PictureRows(levels.to(device), attributes.float().to(device), labels.float().to(device))

    def write_attributes(self, name: str, attributes: Floats, labels: Bytes | None) -> None:
        """Write one set without its pictures; clones have no labels of their own."""
        self.path.mkdir(parents=True, exist_ok=True)
        np.save(self.path / f"{name}{_ATTRIBUTES}", attributes.astype(np.float32))
        if labels is not None:
            np.save(self.path / f"{name}-labels.npy", labels.astype(np.uint8))

    def write_pictures(self, name: str, pictures: Bytes) -> None:
        """Write the pictures of a set."""
        # Written under another name first, so that an interruption leaves no file that looks whole.
        part = self.path / f"{name}.part.npy"
        np.save(part, pictures)
        part.replace(self.path / f"{name}{_PICTURES}")

    def name_attributes(self, names: Sequence[str], world: str) -> None:
        """Write the names of world and attributes; done last, they say that all attributes are there."""
        (self.path / _NAMES).write_text(json.dumps({"world": world, "attributes": list(names)}))

    @property
    def has_attributes(self) -> bool:
        """Whether the attributes of all sets were written."""
        return (self.path / _NAMES).is_file()

    def attributes(self, name: str) -> Floats:
        """Return the attributes of one set."""
        return self._array(f"{name}-attributes").double().numpy()

    def sets_without_pictures(self) -> tuple[str, ...]:
        """Return the sets whose pictures are still to be written."""
        names = sorted(path.name.removesuffix(_ATTRIBUTES) for path in self.path.glob(f"*{_ATTRIBUTES}"))
        return tuple(name for name in names if not (self.path / f"{name}{_PICTURES}").is_file())

    def _named(self) -> Any:
        """Return what `attributes.json` has: names with their world, or in older folders names alone."""
        return json.loads(self._existing(_NAMES).read_text())

    def _array(self, name: str) -> Tensor:
        return torch.from_numpy(np.load(self._existing(f"{name}.npy")))

    def _existing(self, name: str) -> Path:
        path = self.path / name
        if not path.is_file():
            raise MaterialsError(f"{path} is not there. Write the pictures first, or name the folder that has them.")
        return path


def levels_to_values(levels: Tensor) -> Tensor:
    """Return grey levels as numbers between -0.5 and 0.5, in the middle of each level."""
    return (levels.float() + 0.5) / LEVELS - 0.5


def values_to_levels(values: Tensor) -> Tensor:
    """Round numbers between -0.5 and 0.5 to grey levels; what lies outside is cut off."""
    return ((values + 0.5) * LEVELS).floor().clamp(0, LEVELS - 1).to(torch.uint8)


def apart(rows: PictureRows) -> tuple[PictureRows, PictureRows]:
    """Return pictures to learn from, and the last few to test with."""
    n = len(rows) - max(1, len(rows) // HELD_OUT)
    parts = (slice(None, n), slice(n, None))
    first, second = (PictureRows(rows.levels[part], rows.attributes[part], rows.labels[part]) for part in parts)
    return first, second


# Pictures of a world with known causes, drawn and stored for training.


@runtime_checkable
class PictureWorld(Protocol):
    """A world as training needs it; all attributes are numbers, one column each."""

    @property
    def name(self) -> str:
        """The name of the world, with its variant."""

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names of the attributes, in the order of their columns."""

    def draw(self, n: int, rng: np.random.Generator, *, is_biased: bool) -> tuple[Floats, Bytes]:
        """Return attributes (picture, attribute) and classes (0 or 1); without biases, only legs follow the class."""

    def redraw(self, attributes: Floats, name: str, rng: np.random.Generator) -> Floats:
        """Return the same attributes with one redrawn."""

    def pictures(self, attributes: Floats, n_pixels: int) -> Bytes:
        """Return a picture (row, column, channel) for each row of attributes, on as many cores as there are."""


def world_named(name: str) -> PictureWorld:
    """Import a world by MODULE:NAME."""
    module, _, member = name.partition(":")
    try:
        world = getattr(importlib.import_module(module), member)
    except (ImportError, AttributeError, ValueError) as error:
        raise MaterialsError(
            f"The world {name!r} cannot be imported ({error}). Give MODULE:NAME of something that draws pictures."
        ) from None
    if not isinstance(world, PictureWorld):
        raise MaterialsError(f"{name!r} is not a world: it needs name, attribute_names, draw, redraw and pictures.")
    return world


def write_attributes(world: PictureWorld, folder: PictureFolder, *, sizes: dict[str, int], seed: int = 0) -> None:
    """Draw the sets train, test and unbiased, in the sizes given, and the clones of test; pictures come later."""
    rng = np.random.default_rng(seed)
    for name, n in sizes.items():
        attributes, classes = world.draw(n, rng, is_biased=name != "unbiased")
        folder.write_attributes(name, attributes, classes)
        for changed in world.attribute_names if name == "test" else ():
            folder.write_attributes(f"clone-{changed}", world.redraw(attributes, changed, rng), None)
    folder.name_attributes(world.attribute_names, world.name)


def write_pictures(world: PictureWorld, folder: PictureFolder, *, n_pixels: int) -> None:
    """Render every set that has attributes and not yet pictures."""
    for name in folder.sets_without_pictures():
        folder.write_pictures(name, world.pictures(folder.attributes(name), n_pixels))


# Pictures of named worlds for training: rows are drawn once, and rendered on all cores.
#
# Worlds and their renderer are imported when they are asked for, so that a machine that only trains, from pictures on disk,
# needs neither them nor what they need.

_CHUNK = 500


@dataclass(frozen=True)
class NamedWorld:
    """A world that comes with the package, as training needs it."""

    name: str

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Names of the attributes, as declared."""
        return tuple(self._world().names)

    def draw(self, n: int, rng: np.random.Generator, *, is_biased: bool) -> tuple[Floats, Bytes]:
        """Return attributes and classes; without biases only the first attribute, the legs, follows the class."""
        sampling, world = _module("sampling"), self._world()
        seed = int(rng.integers(2**31))
        table = (
            sampling.sample(world, n, seed) if is_biased else sampling.unbiased(world, n, seed, keeps=world.names[:1])
        )
        classes = (table["class"] == world.classes[1]).to_numpy().astype(np.uint8)
        return table[list(world.names)].to_numpy(dtype=np.float64), classes

    def redraw(self, attributes: Floats, name: str, rng: np.random.Generator) -> Floats:
        """Return the same attributes with one drawn as in another row."""
        world = self._world()
        changed = attributes.copy()
        # Cut from all its causes, an attribute needs no more of the rows than how many there are.
        changed[:, world.names.index(name)] = _module("sampling").redrawn(
            world, attributes, name, mode="all_parents", seed=int(rng.integers(2**31))
        )
        return changed

    def pictures(self, attributes: Floats, n_pixels: int) -> Bytes:
        """Render every row."""
        chunks = [attributes[start : start + _CHUNK] for start in range(0, len(attributes), _CHUNK)]
        rendered = partial(_rendered, self._world(), n_pixels)
        if len(chunks) == 1:
            return rendered(chunks[0])
        # Compiled once here: forked processes inherit the renderer, where others would also import torch in each.
        rendered(attributes[:1])
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
            return np.concatenate(list(pool.map(rendered, chunks)))

    def _world(self) -> Any:
        return _module("families").world_named(self.name)


def _rendered(world: Any, n_pixels: int, attributes: Floats) -> Bytes:
    families, renderer = _module("families"), _module("renderer")
    parameters = [world.parameters.get(name, name) for name in world.names]
    pictures = np.empty((len(attributes), n_pixels, n_pixels, 3), np.uint8)
    for number, row in enumerate(attributes):
        drawn = {name: float(value) for name, value in zip(parameters, row, strict=True) if name}
        scene = families.scene_from_params(world.scene, {**world.settings, **drawn})
        pictures[number] = renderer.render(scene, edge=n_pixels).picture
    return pictures


def _module(name: str) -> Any:
    return importlib.import_module(f"understudy.worlds.{name}")


sixt2022 = NamedWorld("sixt2022")
"""With the ranges that the paper states."""
sixt2022_code = NamedWorld("sixt2022-code")
"""With the ranges of the study's code, which the published networks learned from."""
