"""Pictures to train from: the sets of a world, drawn once, resumable, and shared by all recipes of one size."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from understudy.errors import MaterialsError
from understudy.extras import optional
from understudy.sources.scenes.many import ManyOptions
from understudy.sources.worlds import render_table, world_named
from understudy.training.picture_recipes import FlowRecipe, PictureRecipe

WORLD = "sixt2022-code"
"""The world of all recipes, as the released sampler draws it: the printed tables are about networks that saw this."""
N_PICTURES = 120_000
_PER_TEST, _PER_UNBIASED = 40, 4
_SMALLEST = 40


def sets_of(recipe: PictureRecipe) -> tuple[str, ...]:
    """Return the sets that a recipe needs; an observer learns from unbiased pictures."""
    return ("train", "test") if isinstance(recipe, FlowRecipe) or recipe.purpose == "classifier" else ("unbiased",)


def sizes_for(n: int) -> dict[str, int]:
    """Return the size of each set for so many pictures to train a classifier with."""
    if n < _SMALLEST:
        raise MaterialsError(f"{n} pictures were asked for. Ask for at least {_SMALLEST}.")
    return {
        "train": n,
        "test": max(_SMALLEST // 2, n // _PER_TEST),
        "unbiased": max(_SMALLEST, round(n / _PER_UNBIASED)),
    }


def folder_of(recipe: PictureRecipe, data: Path, n: int) -> Path:
    """Return where the pictures of a recipe are kept."""
    if data.is_file():
        raise MaterialsError(f"{data} is a file, and pictures need a folder. Name a folder with --data.")
    return data / f"{WORLD}-{recipe.n_pixels}-{n}"


def n_missing(recipe: PictureRecipe, folder: Path, n: int) -> int:
    """Return how many pictures of a recipe are still to be drawn."""
    sizes = sizes_for(n)
    return sum(sizes[name] for name in sets_of(recipe) if not _pictures(folder, name).is_file())


def draw_sets(recipe: PictureRecipe, folder: Path, n: int, *, advance: Callable[[int], None]) -> Path:
    """Draw the sets that a recipe needs and that are not there, and return the folder."""
    data: Any = optional("understudy.training.picture_data", extra="torch")
    worlds: Any = optional("understudy.training.picture_worlds", extra="torch")
    pictures = data.PictureFolder(folder)
    if not pictures.has_attributes:
        drawn = worlds.world_named(f"understudy.training.scene_pictures:{WORLD.replace('-', '_')}")
        worlds.write_attributes(drawn, pictures, sizes=sizes_for(n))
    for name in sets_of(recipe):
        if not _pictures(folder, name).is_file():
            _draw(pictures, name, recipe.n_pixels, advance)
    return folder


def _draw(pictures: Any, name: str, n_pixels: int, advance: Callable[[int], None]) -> None:
    """Draw a set in shards, so that an interrupted run continues where it stopped, and join them."""
    shards = pictures.path / f"{name}-shards"
    table = pd.DataFrame(pictures.attributes(name), columns=list(pictures.attribute_names))
    n_done = 0

    def told(done: int, _total: int) -> None:
        nonlocal n_done
        advance(done - n_done)
        n_done = done

    render_table(world_named(WORLD), table, shards, options=ManyOptions(edge=n_pixels), progress=told)
    _join(sorted(shards.glob("pictures-*.npy")), pictures.path, name)
    shutil.rmtree(shards)


def _join(shards: list[Path], folder: Path, name: str) -> None:
    """Write shards as one array, of which only one shard is ever in memory."""
    arrays = [np.load(path, mmap_mode="r") for path in shards]
    shape = (sum(len(array) for array in arrays), *arrays[0].shape[1:])
    part = folder / f"{name}.part.npy"
    whole = np.lib.format.open_memmap(part, mode="w+", dtype=np.uint8, shape=shape)
    start = 0
    for array in arrays:
        whole[start : start + len(array)] = array
        start += len(array)
    whole.flush()
    del whole, arrays
    # Renamed last, so that an interruption leaves no file that looks whole.
    part.replace(_pictures(folder, name))


def _pictures(folder: Path, name: str) -> Path:
    return folder / f"{name}-pictures.npy"
