"""Data of decoders: instances on the device that learns, batch by batch, without loaders or workers."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from understudy.sources import sinelines, sprites
from understudy.sources.arrays import Floats
from understudy.sources.idx import digits_from_folder
from understudy.sources.instance_splits import tenth_held_out
from understudy.training.recipes import DecoderRecipe


@dataclass(frozen=True)
class Rows:
    """Rows stored on the device: values, or bytes that mean 0 to 1."""

    values: Tensor
    side: Tensor
    """What comes with each row: true factors, one-hot labels, or nothing."""
    scale: float = 1.0

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows and what comes with them."""
        return self.values[places].float() * self.scale, self.side[places]


@dataclass(frozen=True)
class DrawnSprites:
    """dSprites drawn on the device as they are needed: 720 outlines, moved to their positions."""

    outlines: Tensor
    levels: tuple[Tensor, ...]
    """The values of each factor."""

    def batch(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """Return pictures and their true factors."""
        y, rest = places % 32, places // 32
        x, outline = rest % 32, rest // 32
        cells = torch.arange(sprites.EDGE, device=places.device)
        shift = sprites.LAST_PLACE - sprites.FIRST_PLACE
        rows = cells[None] + shift - y[:, None]
        columns = cells[None] + shift - x[:, None]
        pictures = self.outlines[outline[:, None, None], rows[:, :, None], columns[:, None, :]]
        parts = (outline // 240, outline // 40 % 6, outline % 40, x, y)
        factors = torch.stack([level[part] for level, part in zip(self.levels, parts, strict=True)], dim=1)
        return pictures.float().flatten(1), factors


@dataclass(frozen=True)
class Material:
    """A dataset with its split, ready on a device."""

    source: Rows | DrawnSprites
    train: Tensor
    held_out: Tensor
    factors: Floats | None
    """True factors of the held-out instances, in their order, if they are known."""
    factor_names: tuple[str, ...] = ()


def material_from_recipe(recipe: DecoderRecipe, device: torch.device, *, data: Path | None = None) -> Material:
    """Put the data of a recipe on a device.

    `data` is the folder of MNIST files, the official dSprites npz, or factors of Sinelines as npy.
    """
    if recipe.dataset == "sinelines":
        return _sinelines(device, data)
    if recipe.dataset == "dsprites":
        return _dsprites(device, data)
    return _mnist(device, data if data is not None else Path("mnist"), is_whole=recipe.family == "ig")


def shortened(material: Material, n: int) -> Material:
    """Keep the first instances that are held out, for trying out."""
    factors = None if material.factors is None else material.factors[:n]
    return replace(material, held_out=material.held_out[:n], factors=factors)


def _sinelines(device: torch.device, data: Path | None) -> Material:
    factors = sinelines.all_factors() if data is None else sinelines.factors_from_npy(data)
    split = tenth_held_out(len(factors))
    lines = torch.from_numpy(sinelines.lines_from_factors(factors)).float().to(device)
    side = torch.from_numpy(factors).float().to(device)
    return Material(
        source=Rows(lines, side),
        train=torch.from_numpy(split.train).to(device),
        held_out=torch.from_numpy(split.held_out).to(device),
        factors=factors[split.held_out],
        factor_names=sinelines.FACTORS,
    )


def _dsprites(device: torch.device, data: Path | None) -> Material:
    split = tenth_held_out(sprites.N_INSTANCES)
    source: Rows | DrawnSprites
    if data is not None:
        every = sprites.factors_from_places(np.arange(sprites.N_INSTANCES))
        rows = torch.from_numpy(sprites.rows_from_npz(data)).to(device)
        source = Rows(rows, torch.from_numpy(every).float().to(device))
    else:
        source = DrawnSprites(
            torch.from_numpy(sprites.padded_outlines().copy()).to(device),
            tuple(torch.from_numpy(values).float().to(device) for values in sprites.VALUES),
        )
    return Material(
        source=source,
        train=torch.from_numpy(split.train).to(device),
        held_out=torch.from_numpy(split.held_out).to(device),
        factors=sprites.factors_from_places(split.held_out),
        factor_names=sprites.FACTORS,
    )


def _mnist(device: torch.device, folder: Path, *, is_whole: bool) -> Material:
    digits = digits_from_folder(folder)
    pictures = np.concatenate([digits.train_pictures, digits.test_pictures])
    labels = torch.from_numpy(np.concatenate([digits.train_labels, digits.test_labels]).astype(np.int64))
    n_train = len(digits.train_pictures)
    places = torch.arange(len(pictures), device=device)
    return Material(
        source=Rows(
            torch.from_numpy(pictures).to(device), functional.one_hot(labels, 10).float().to(device), scale=1 / 255
        ),
        train=places if is_whole else places[:n_train],
        held_out=places[n_train:],
        factors=None,
    )
