"""What networks with maps learn from: pictures, or stored feature maps of several copies of each picture."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

N_DRAWS = 8
"""Random numbers that change one picture."""


class Rows(Protocol):
    """Instances with their labels."""

    @property
    def labels(self) -> Tensor:
        """The class of each instance."""

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return inputs of the network, changed by draws from 0 to 1, (n, N_DRAWS)."""

    def plain(self, places: Tensor) -> Tensor:
        """Return inputs of the network as they are."""


class Changes(NamedTuple):
    """How far pictures are changed while a network learns."""

    zoom: tuple[float, float] = (0.9, 1.05)
    """Smallest and largest share of the width that is shown."""
    turn: float = 0.1
    """Largest turn to either side, in radians."""
    brightness: float = 0.15
    tint: float = 0.05
    is_mirrored: bool = False
    """Whether half of the pictures are mirrored."""


SMALL_CHANGES = Changes()
PHOTO_CHANGES = Changes(zoom=(0.65, 1.05), turn=0.25, brightness=0.2, tint=0.1, is_mirrored=True)


@dataclass(frozen=True)
class PictureLevels:
    """Pictures as grey levels 0 to 255: (n, 3, height, width)."""

    levels: Tensor
    labels: Tensor
    changes: Changes = SMALL_CHANGES

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return changed pictures from 0 to 1."""
        return changed_pictures(self.plain(places), draws, self.changes)

    def plain(self, places: Tensor) -> Tensor:
        """Return pictures from 0 to 1."""
        # Convolutions on a processor are faster where the channels of a pixel lie together.
        return (self.levels[places].float() / 255).contiguous(memory_format=torch.channels_last)


@dataclass(frozen=True)
class StoredMaps:
    """Feature maps of a frozen part, for some copies of each picture: (copies, n, features, rows, columns)."""

    maps: Tensor
    labels: Tensor

    def changed(self, places: Tensor, draws: Tensor) -> Tensor:
        """Return the maps of one copy of each picture, drawn by chance."""
        copies = (draws[:, 0] * len(self.maps)).long().clamp(max=len(self.maps) - 1)
        return self.maps[copies, places].float()

    def plain(self, places: Tensor) -> Tensor:
        """Return the maps of the pictures themselves, which are the first copy."""
        return self.maps[0, places].float()


def changed_pictures(pictures: Tensor, draws: Tensor, changes: Changes) -> Tensor:
    """Zoom, turn, shift and mirror pictures, and change their brightness and tint."""
    low, high = changes.zoom
    zoom = low + (high - low) * draws[:, 0]
    angle = (2 * draws[:, 1] - 1) * changes.turn
    mirror = torch.where(draws[:, 2] < (0.5 if changes.is_mirrored else 0.0), -1.0, 1.0)
    # Shown parts stay inside the picture.
    shift = (2 * draws[:, 3:5] - 1) * (1 - zoom).clamp_min(0)[:, None]
    across = torch.stack([zoom * mirror * angle.cos(), -zoom * angle.sin(), shift[:, 0]], 1)
    down = torch.stack([zoom * mirror * angle.sin(), zoom * angle.cos(), shift[:, 1]], 1)
    grid = nn.functional.affine_grid(torch.stack([across, down], 1), list(pictures.shape), align_corners=False)
    moved = nn.functional.grid_sample(pictures, grid, padding_mode="reflection", align_corners=False)
    light = 1 + (2 * draws[:, 5] - 1) * changes.brightness
    tint = (2 * draws[:, 5:8] - 1) * changes.tint
    return (
        (moved * light[:, None, None, None] + tint[:, :, None, None])
        .clamp(0, 1)
        .contiguous(memory_format=torch.channels_last)
    )
