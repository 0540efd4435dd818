"""Pictures of named worlds for training: rows are drawn once, and rendered on all cores.

Worlds and their renderer are imported when they are asked for, so that a machine that only trains, from pictures on disk,
needs neither them nor what they need.
"""

import importlib
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from understudy.sources.arrays import Bytes, Floats

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
        sampling, world = _module("worlds.sampling"), self._world()
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
        changed[:, world.names.index(name)] = _module("worlds.sampling").redrawn(
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
        return _module("worlds.named_worlds").world_named(self.name)


def _rendered(world: Any, n_pixels: int, attributes: Floats) -> Bytes:
    families, renderer = _module("scenes.families"), _module("scenes.renderer")
    parameters = [world.parameters.get(name, name) for name in world.names]
    pictures = np.empty((len(attributes), n_pixels, n_pixels, 3), np.uint8)
    for number, row in enumerate(attributes):
        drawn = {name: float(value) for name, value in zip(parameters, row, strict=True) if name}
        scene = families.scene_from_params(world.scene, {**world.settings, **drawn})
        pictures[number] = renderer.render(scene, edge=n_pixels).picture
    return pictures


def _module(name: str) -> Any:
    return importlib.import_module(f"understudy.sources.{name}")


sixt2022 = NamedWorld("sixt2022")
"""With the ranges that the paper states."""
sixt2022_code = NamedWorld("sixt2022-code")
"""With the ranges of the study's code, which the published networks learned from."""
