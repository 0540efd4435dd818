"""A small convolutional body for pictures of 96 pixels, whose feature maps keep 12 x 12 places."""

from torch import Tensor, nn

from understudy.errors import MaterialsError


class SmallCnn(nn.Module):
    """Blocks of two convolutions; each of the first three halves width and height."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        if len(widths) < 3:
            raise MaterialsError(f"The body has {len(widths)} blocks. Give the widths of at least 3.")
        layers: list[nn.Module] = []
        n_inputs = 3
        for position, width in enumerate(widths):
            layers += [*unit(n_inputs, width, stride=2 if position < 3 else 1), *unit(width, width)]
            n_inputs = width
        self.layers = nn.Sequential(*layers)
        self.n_features = n_inputs

    def forward(self, pictures: Tensor) -> Tensor:
        """Return feature maps of pictures, (n, 3, height, width) from 0 to 1."""
        return self.layers(centred(pictures))


def centred(pictures: Tensor) -> Tensor:
    """Return pictures as numbers around 0, with a spread of about 1."""
    return (pictures - 0.5) * 4


def unit(n_inputs: int, n_outputs: int, *, stride: int = 1) -> list[nn.Module]:
    """Return a 3 x 3 convolution, batch normalisation and ReLU."""
    return [nn.Conv2d(n_inputs, n_outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(n_outputs), nn.ReLU(inplace=True)]
