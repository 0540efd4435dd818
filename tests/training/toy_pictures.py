"""Toy pictures: a coloured square somewhere on grey noise, its colour being the class."""

import torch

from understudy.training.map_training import MapData
from understudy.training.protopnet import Changes, PictureLevels

COLOURS = ((230, 30, 30), (30, 200, 30), (40, 40, 230))
LABELS = ("red", "green", "blue")
N_PX = 32


def toy_rows(n: int, seed: int = 0) -> PictureLevels:
    """Return n pictures of 32 pixels, of three classes in turn."""
    generator = torch.Generator().manual_seed(seed)
    levels = torch.randint(90, 160, (n, 3, N_PX, N_PX), generator=generator)
    labels = torch.arange(n) % len(COLOURS)
    corners = torch.randint(0, N_PX - 10, (n, 2), generator=generator)
    for picture, (top, left) in enumerate(corners.tolist()):
        colour = torch.tensor(COLOURS[int(labels[picture])])
        levels[picture, :, top : top + 10, left : left + 10] = colour[:, None, None]
    return PictureLevels(levels.to(torch.uint8), labels, Changes(turn=0.0))


def toy_data(n: int = 96) -> MapData:
    """Return a training part and a test part."""
    train = toy_rows(n)
    return MapData(train, toy_rows(30, seed=1), LABELS, train.levels.movedim(1, 3).contiguous().numpy())
