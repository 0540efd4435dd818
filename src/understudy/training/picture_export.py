"""Export of networks for pictures: classifiers and observers as ONNX files that take numbers from 0 to 1."""

import torch
from torch import Tensor, nn

from understudy.training.export import Ends, onnx_from_module
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import LEVELS

INPUT = "pictures"
"""(picture, channel, row, column), from 0 to 1."""


def onnx_from_picture_classifier(net: PictureCnn, n_pixels: int) -> bytes:
    """Write a classifier with the outputs `probabilities`, `margins` and `latents`, its last hidden layer."""
    return _written(_Classifier(net), n_pixels, ("probabilities", "margins", "latents"))


def onnx_from_observer(net: PictureCnn, n_pixels: int) -> bytes:
    """Write an observer with the output `attributes`, in their own units."""
    return _written(_Observer(net), n_pixels, ("attributes",))


def _written(module: nn.Module, n_pixels: int, outputs: tuple[str, ...]) -> bytes:
    return onnx_from_module(module.cpu(), torch.zeros(2, 3, n_pixels, n_pixels), Ends(INPUT, outputs))


class _Classifier(nn.Module):
    """All outputs of a classifier at once."""

    def __init__(self, net: PictureCnn) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> tuple[Tensor, ...]:
        latents = self.net.head[:-1](_features(self.net, pictures))
        margins = self.net.head[-1](latents)[:, -1]
        return torch.stack([-margins, margins], 1).sigmoid(), margins, latents


class _Observer(nn.Module):
    """The attributes that an observer sees; the class, its last output, is left out."""

    def __init__(self, net: PictureCnn) -> None:
        super().__init__()
        self.net = net

    def forward(self, pictures: Tensor) -> Tensor:
        seen = self.net.head(_features(self.net, pictures))
        return (seen * self.net.spread + self.net.centre)[:, :-1]


def _features(net: PictureCnn, pictures: Tensor) -> Tensor:
    # What `levels_to_values` makes of the grey levels that the numbers stand for.
    return net.body((pictures * (LEVELS - 1) + 0.5) / LEVELS - 0.5).flatten(1)
