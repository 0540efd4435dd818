"""A small convolutional body for pictures of 96 pixels, whose feature maps keep 12 x 12 places.

A place sees 35 pixels (RECEPTIVE_PX), a third of the picture. With 3 x 3 convolutions throughout it would see 75, and then prototypes
settle on places next to a part, or in a corner of the background, and people look at patches that show nothing.
"""

from torch import Tensor, nn

from understudy.errors import MaterialsError

RECEPTIVE_PX = 35
_N_BLOCKS = 4
_KERNELS = (3, 3, 3, 1, 3, 3, 1, 1)
"""Two convolutions for each block; the first of each but the last block halves width and height."""


class SmallCnn(nn.Module):
    """Four blocks of two convolutions; each of the first three halves width and height."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        if len(widths) != _N_BLOCKS:
            raise MaterialsError(f"The body has {len(widths)} widths. Give {_N_BLOCKS}, one for each block.")
        layers: list[nn.Module] = []
        n_inputs = 3
        for position, kernel in enumerate(_KERNELS):
            width = widths[position // 2]
            halves = position % 2 == 0 and position // 2 < _N_BLOCKS - 1
            layers += unit(n_inputs, width, kernel=kernel, stride=2 if halves else 1)
            n_inputs = width
        self.layers = nn.Sequential(*layers)
        self.n_features = n_inputs

    def forward(self, pictures: Tensor) -> Tensor:
        """Return feature maps of pictures, (n, 3, height, width) from 0 to 1."""
        return self.layers(centred(pictures))


def centred(pictures: Tensor) -> Tensor:
    """Return pictures as numbers around 0, with a spread of about 1."""
    return (pictures - 0.5) * 4


def unit(n_inputs: int, n_outputs: int, *, kernel: int, stride: int = 1) -> list[nn.Module]:
    """Return a convolution, batch normalisation and ReLU."""
    conv = nn.Conv2d(n_inputs, n_outputs, kernel, stride, kernel // 2, bias=False)
    return [conv, nn.BatchNorm2d(n_outputs), nn.ReLU(inplace=True)]
