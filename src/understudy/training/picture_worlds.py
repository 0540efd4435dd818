"""Pictures of a world with known causes, drawn and stored for training."""

import importlib
from typing import Protocol, runtime_checkable

import numpy as np

from understudy.errors import MaterialsError
from understudy.sources.arrays import Bytes, Floats
from understudy.training.picture_data import PictureFolder


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
