"""Pictures of coloured squares: the class is where the square is, with its colour as a second, weaker sign."""

import numpy as np
import torch

from understudy.statistics.arrays import Bytes, Floats
from understudy.training.flow_nets import Flow, FlowShape
from understudy.training.picture_data import (
    PictureFolder,
    PictureRows,
    levels_to_values,
    write_attributes,
    write_pictures,
)
from understudy.training.recipes import FlowRecipe, PictureNetRecipe

NAMES = ("place", "hue", "backdrop")
TINY = FlowShape(8, (2, 3), (6, 8))
SMALL = FlowRecipe(
    "inn-8",
    n_pixels=8,
    n_steps=(2, 2),
    widths=(8, 8),
    n_epochs=2,
    steps_per_epoch=3,
    batch=16,
    n_warm=2,
    n_initial=32,
)
SMALL_CNN = PictureNetRecipe("cnn-8", "classifier", 8, n_epochs=2, steps_per_epoch=3, batch=16, widths=(4, 4), n_warm=2)
SMALL_OBSERVER = PictureNetRecipe(
    "observer-8", "observer", 8, n_epochs=2, steps_per_epoch=3, batch=16, widths=(4, 4), n_warm=2
)


def drawn(n: int, rng: np.random.Generator) -> Floats:
    return rng.random((n, len(NAMES)))


def pictured(attributes: Floats) -> Bytes:
    """Draw 8 by 8 pictures: the square moves smoothly from left to right."""
    columns = np.arange(8)
    cover = np.clip(1.5 - np.abs(columns - 1 - 5 * attributes[:, :1]), 0, 1)[:, None, :, None]
    rows = ((columns >= 3) & (columns <= 5))[None, :, None, None]
    hue = np.stack([attributes[:, 1], np.full(len(attributes), 0.5), 1 - attributes[:, 1]], 1)[:, None, None]
    backdrop = np.broadcast_to(0.2 + 0.5 * attributes[:, 2, None, None, None], (len(attributes), 8, 8, 3))
    share = cover * rows
    levels: Bytes = np.clip(256 * (share * hue + (1 - share) * backdrop), 0, 255).astype(np.uint8)
    return levels


def square_rows(n: int, seed: int = 1) -> PictureRows:
    attributes = drawn(n, np.random.default_rng(seed))
    labels = (attributes[:, 0] > 0.5).astype(np.float32)
    return PictureRows(
        torch.from_numpy(pictured(attributes)), torch.from_numpy(attributes).float(), torch.from_numpy(labels)
    )


class SquareWorld:
    """Squares, as training needs a world."""

    name = "squares"
    attribute_names = NAMES

    def draw(self, n: int, rng: np.random.Generator, *, is_biased: bool) -> tuple[Floats, Bytes]:
        attributes = drawn(n, rng)
        return attributes, (attributes[:, 0] > 0.5).astype(np.uint8)

    def redraw(self, attributes: Floats, name: str, rng: np.random.Generator) -> Floats:
        clones = attributes.copy()
        clones[:, NAMES.index(name)] = rng.random(len(clones))
        return clones

    def pictures(self, attributes: Floats, n_pixels: int) -> Bytes:
        return pictured(attributes)


world = SquareWorld()


def write_squares(folder: PictureFolder, n: int = 60) -> PictureFolder:
    """Write all sets that a run needs."""
    write_attributes(world, folder, sizes={"train": n, "test": n, "unbiased": n})
    write_pictures(world, folder, n_pixels=8)
    return folder


def tiny_flow(shape: FlowShape = TINY, seed: int = 1) -> Flow:
    """Return a flow whose couplings and classifier do something, as after learning."""
    generator = torch.Generator().manual_seed(seed)
    flow = Flow(shape, generator)
    flow.initialise(levels_to_values(square_rows(64).levels))

    def stir(values: torch.Tensor, size: float) -> None:
        values.add_(size * torch.randn(values.shape, generator=generator))

    with torch.no_grad():
        for block in flow.in_order:
            stir(block.last, 0.1)
            stir(block.last_bias, 0.3)
        stir(flow.head.weight, 0.2)
        stir(flow.head.bias, 0.2)
    return flow
