"""Bag of crops: a pretrained network looks at each crop of a photo by itself, and the logits of the crops are averaged.

This is not BagNet: its crops are larger, and the network was trained on whole photos. Like BagNet it is exact: no crop
knows anything of the others, so that the map shows all that the decision rests on.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Crops(NamedTuple):
    """How a square photo is cut: crops lie around the centres of a regular grid; edge pixels are repeated beyond it."""

    n_px: int
    """Width and height of a crop."""
    grid_px: int
    """Pixels between neighbouring crops, which divides the width of the photo."""
    shown_px: int
    """The size to which a crop is enlarged for the network."""


def cut(pictures: Tensor, crops: Crops) -> Tensor:
    """Return all crops of each picture, row by row: (n, crops, 3, shown_px, shown_px)."""
    before = (crops.n_px - crops.grid_px) // 2
    after = crops.n_px - crops.grid_px - before
    padded = nn.functional.pad(pictures, (before, after, before, after), mode="replicate")
    n_rows = pictures.shape[2] // crops.grid_px
    n_columns = pictures.shape[3] // crops.grid_px
    parts = [
        padded[:, :, top : top + crops.n_px, left : left + crops.n_px]
        for top in range(0, n_rows * crops.grid_px, crops.grid_px)
        for left in range(0, n_columns * crops.grid_px, crops.grid_px)
    ]
    # One resize for all crops: the exporter would otherwise write it down once for each.
    joined = torch.stack(parts, 1).flatten(0, 1)
    size = (crops.shown_px, crops.shown_px)
    enlarged = nn.functional.interpolate(joined, size=size, mode="bilinear", align_corners=False)
    return enlarged.reshape(-1, len(parts), pictures.shape[1], *size)


class CropFeatures(nn.Module):
    """The averaged features of each crop, as feature maps with one place for each crop."""

    def __init__(self, backbone: nn.Module, crops: Crops, n_px: int) -> None:
        super().__init__()
        self.backbone, self.crops = backbone, crops
        self.n_side = n_px // crops.grid_px

    def forward(self, pictures: Tensor) -> Tensor:
        """Return (n, features, rows, columns)."""
        parts = cut(pictures, self.crops)
        features = self.backbone(parts.flatten(0, 1)).mean((2, 3))
        by_place = features.reshape(-1, self.n_side, self.n_side, features.shape[1])
        return by_place.permute(0, 3, 1, 2)
