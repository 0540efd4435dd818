"""An ordinary convolutional network for pictures: a classifier, or an observer that reads attributes off a picture."""

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError


class PictureCnn(nn.Module):
    """Blocks that halve width and height, then two dense layers.

    Positions are kept to the dense layers: an average over them would lose where things are.
    """

    def __init__(self, n_pixels: int, widths: tuple[int, ...], n_outputs: int) -> None:
        super().__init__()
        if n_pixels % 2 ** len(widths):
            raise MaterialsError(
                f"Pictures of {n_pixels} pixels cannot be halved {len(widths)} times. Use fewer blocks, or pictures whose "
                f"width is a multiple of {2 ** len(widths)}."
            )
        layers: list[nn.Module] = []
        n_inputs = 3
        for width in widths:
            layers += [*_unit(n_inputs, width, stride=2), *_unit(width, width, stride=1)]
            n_inputs = width
        self.body = nn.Sequential(*layers)
        n_features = n_inputs * (n_pixels // 2 ** len(widths)) ** 2
        self.head = nn.Sequential(nn.Linear(n_features, 256), nn.ReLU(), nn.Linear(256, n_outputs))
        # Where outputs are rescaled attributes: what gives them their units back.
        self.register_buffer("centre", torch.zeros(n_outputs))
        self.register_buffer("spread", torch.ones(n_outputs))

    centre: Tensor
    spread: Tensor

    def forward(self, pictures: Tensor) -> Tensor:
        """Return outputs in rescaled units; pictures are (picture, row, column, channel) between -0.5 and 0.5."""
        return self.head(self.body(pictures.permute(0, 3, 1, 2)).flatten(1))

    def logits(self, pictures: Tensor) -> Tensor:
        """Return the evidence for class 1: the last output."""
        return self(pictures)[:, -1]

    def attributes(self, pictures: Tensor) -> Tensor:
        """Return the attributes an observer sees, in their own units; the class, its last output, is left out."""
        return (self(pictures) * self.spread + self.centre)[:, :-1]


def _unit(n_inputs: int, n_outputs: int, *, stride: int) -> list[nn.Module]:
    return [nn.Conv2d(n_inputs, n_outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(n_outputs), nn.ReLU()]
