"""An invertible network of the Glow type, with a linear classifier on its last latents.

Kingma and Dhariwal (2018), with the changes of Sixt et al. (2022): the scale of a coupling is sigmoid(s) + 0.5, and what
is split off is kept, so that a picture can be computed back from changed latents. Pictures and maps are
(picture, row, column, channel): a 1x1 convolution is then one matrix product, and 3x3 ones need no copy on a graphics
card.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError

# The steps of one block of an invertible network: actnorm, invertible 1x1 convolution, affine coupling.
#
# The weights of all steps of a block are stacked, so that what does not depend on the pictures (the mixing matrices, casts
# of weights) is computed for all steps at once. A captured step on a graphics card waits for the number of its kernels
# rather than for their work.


class _CouplingWeights(NamedTuple):
    """Weights of the coupling net of one step."""

    first: Tensor
    first_bias: Tensor
    middle: Tensor
    middle_bias: Tensor
    last: Tensor
    last_bias: Tensor


class _Mixing(NamedTuple):
    """Actnorm and 1x1 convolution of all steps as matrices and offsets: y = matrix @ x + offset."""

    matrices: Tensor
    offsets: Tensor


class FlowBlock(nn.Module):
    """Flow steps on maps with the same number of channels."""

    order: Tensor
    signs: Tensor

    def __init__(self, n_steps: int, n_channels: int, net: tuple[int, int], generator: torch.Generator) -> None:
        super().__init__()
        width, kernel = net
        half = n_channels // 2
        self.dtype = torch.float32
        self.shift = nn.Parameter(torch.zeros(n_steps, n_channels))
        self.log_scale = nn.Parameter(torch.zeros(n_steps, n_channels))
        rotations = torch.linalg.qr(torch.randn(n_steps, n_channels, n_channels, generator=generator))[0]
        permutation, lower, upper = torch.linalg.lu(rotations)
        diagonal = upper.diagonal(dim1=1, dim2=2)
        self.register_buffer("order", permutation.argmax(2))
        self.register_buffer("signs", diagonal.sign())
        # Both triangles in one matrix, as LAPACK packs them: half as much to store.
        self.triangles = nn.Parameter(lower.tril(-1) + upper.triu(1))
        self.log_diagonal = nn.Parameter(diagonal.abs().log())

        def drawn(*shape: int) -> nn.Parameter:
            # He et al. (2015): the variance survives a rectifier.
            return nn.Parameter(torch.randn(*shape, generator=generator) * (2 / math.prod(shape[2:])) ** 0.5)

        self.first = drawn(n_steps, width, kernel, kernel, half)
        self.first_bias = nn.Parameter(torch.zeros(n_steps, width))
        self.middle = drawn(n_steps, width, width)
        self.middle_bias = nn.Parameter(torch.zeros(n_steps, width))
        # Zeros make every coupling start as (nearly) the identity.
        self.last = nn.Parameter(torch.zeros(n_steps, n_channels, kernel, kernel, width))
        self.last_bias = nn.Parameter(torch.zeros(n_steps, n_channels))

    def forward(self, values: Tensor, first: int = 0, last: int | None = None) -> tuple[Tensor, Tensor]:
        """Return the map after the steps from `first` up to, but without, `last`, and the log-determinant."""
        mixing = self._mixing()
        matrices, offsets = mixing.matrices.unbind(), mixing.offsets.unbind()
        steps = range(len(matrices))[first:last]
        nets, scales, n_positions = self._nets(), [], values.shape[1] * values.shape[2]
        for step in steps:
            values = nn.functional.linear(values, matrices[step], offsets[step])
            kept, changed = values.chunk(2, -1)
            scale, shift = self._coupling(kept, nets[step])
            scales.append(scale)
            values = torch.cat([kept, torch.addcmul(shift, changed, scale)], -1)
        constant = (self.log_scale[first:last].sum() + self.log_diagonal[first:last].sum()) * n_positions
        if not scales:
            return values, constant.expand(len(values))
        return values, torch.stack(scales, 1).log().flatten(1).sum(1) + constant

    def inverse(self, values: Tensor) -> Tensor:
        """Return the map that the steps turn into this one."""
        mixing, nets = self._mixing(), self._nets()
        # Inverted with more digits: the error of an inverse in float32 would add up over the steps. NumPy inverts them,
        # because the batched inverse of torch 2.13 fails on some processors when it runs on several threads.
        matrices = mixing.matrices.detach().double().cpu().numpy()
        inverses = torch.from_numpy(np.linalg.inv(matrices)).to(values)
        for step in reversed(range(len(inverses))):
            kept, changed = values.chunk(2, -1)
            scale, shift = self._coupling(kept, nets[step])
            values = torch.cat([kept, (changed - shift) / scale], -1) - mixing.offsets[step]
            values = nn.functional.linear(values, inverses[step])
        return values

    @torch.no_grad()
    def initialise(self, values: Tensor) -> Tensor:
        """Set the actnorm of every step by what reaches it, and return the map after the last."""
        for step in range(len(self.shift)):
            deviation, mean = torch.std_mean(values, (0, 1, 2))
            self.shift[step] = -mean
            self.log_scale[step] = -(deviation + 1e-6).log()
            values, _ = self(values, first=step, last=step + 1)
        return values

    def _mixing(self) -> _Mixing:
        identity = torch.eye(self.shift.shape[1], device=self.shift.device)
        diagonal = torch.diag_embed(self.signs * self.log_diagonal.exp())
        product = (self.triangles.tril(-1) + identity) @ (self.triangles.triu(1) + diagonal)
        # The permutation of PLU: row i of the product with it is row order[i].
        rotation = product.gather(1, self.order[:, :, None].expand_as(product))
        matrices = rotation * self.log_scale.exp()[:, None, :]
        return _Mixing(matrices, (matrices @ self.shift[:, :, None])[:, :, 0])

    def _nets(self) -> list[_CouplingWeights]:
        stacked = (self.first, self.first_bias, self.middle, self.middle_bias, self.last, self.last_bias)
        return [
            _CouplingWeights(*step)
            for step in zip(*(weights.to(self.dtype).unbind() for weights in stacked), strict=True)
        ]

    def _coupling(self, kept: Tensor, net: _CouplingWeights) -> tuple[Tensor, Tensor]:
        hidden = _convolved(kept.to(self.dtype), net.first, net.first_bias).relu()
        hidden = nn.functional.linear(hidden, net.middle, net.middle_bias).relu()
        raw, shift = _convolved(hidden, net.last, net.last_bias).float().chunk(2, -1)
        return raw.sigmoid() + 0.5, shift


def _convolved(values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Convolve a map whose channels come last; the weight is (output, row, column, input)."""
    if weight.shape[1] == 1:
        return nn.functional.linear(values, weight[:, 0, 0], bias)
    padding = weight.shape[1] // 2
    channels_first = nn.functional.conv2d(values.permute(0, 3, 1, 2), weight.permute(0, 3, 1, 2), bias, padding=padding)
    return channels_first.permute(0, 2, 3, 1)


@dataclass(frozen=True)
class FlowShape:
    """How large a flow is."""

    n_pixels: int
    """Width and height of a picture."""
    n_steps: tuple[int, ...]
    """Flow steps of each block; every block halves width and height first."""
    widths: tuple[int, ...]
    """Hidden channels of the coupling nets of each block."""

    def __post_init__(self) -> None:
        """Refuse blocks that do not fit each other or the pictures."""
        if len(self.n_steps) != len(self.widths):
            raise MaterialsError(
                f"The flow has {len(self.n_steps)} blocks by its steps and {len(self.widths)} by its widths. Give as many "
                "widths as steps."
            )
        if self.n_pixels % 2 ** len(self.n_steps):
            raise MaterialsError(
                f"Pictures of {self.n_pixels} pixels cannot be halved {len(self.n_steps)} times. Use fewer blocks, or "
                f"pictures whose width is a multiple of {2 ** len(self.n_steps)}."
            )

    @property
    def n_dimensions(self) -> int:
        """Numbers in a picture, and in all its latents together."""
        return 3 * self.n_pixels**2


class Latents(NamedTuple):
    """What a flow makes of pictures."""

    last: Tensor
    """The map after the last block: what the classifier reads."""
    split_off: tuple[Tensor, ...]
    """Half of the channels after every block but the last."""
    log_det: Tensor
    """Logarithm of the absolute determinant of the Jacobian, per picture."""


class Place(NamedTuple):
    """A place inside a flow: before a step of a block, both counted from 0."""

    block: int
    step: int


class Flow(nn.Module):
    """Pictures to latents and back."""

    def __init__(self, shape: FlowShape, generator: torch.Generator) -> None:
        super().__init__()
        self.shape = shape
        blocks: list[FlowBlock] = []
        n_channels, n_pixels = 3, shape.n_pixels
        for n_steps, width in zip(shape.n_steps, shape.widths, strict=True):
            n_channels, n_pixels = n_channels * 4, n_pixels // 2
            # A single position has no neighbours to look at.
            kernel = 3 if n_pixels > 1 else 1
            blocks.append(FlowBlock(n_steps, n_channels, (width, kernel), generator))
            n_channels //= 2
        self.blocks = nn.ModuleList(blocks)
        # The same blocks by their type, which a list of modules forgets.
        self.in_order = tuple(blocks)
        self.head = nn.Linear(2 * n_channels * n_pixels**2, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, pictures: Tensor) -> Latents:
        """Return latents; pictures lie between -0.5 and 0.5."""
        split_off: list[Tensor] = []
        log_det = pictures.new_zeros(len(pictures))
        values = pictures
        for number, block in enumerate(self.in_order):
            if number:
                values, rest = values.chunk(2, -1)
                split_off.append(rest)
            values, added = block(space_to_depth(values))
            log_det = log_det + added
        return Latents(values, tuple(split_off), log_det)

    def inverse(self, last: Tensor, split_off: Sequence[Tensor]) -> Tensor:
        """Return the pictures that have these latents."""
        values = last
        for number in reversed(range(len(self.in_order))):
            values = depth_to_space(self.in_order[number].inverse(values))
            if number:
                values = torch.cat([values, split_off[number - 1]], -1)
        return values

    def logit(self, last: Tensor) -> Tensor:
        """Return the evidence for class 1 in the last latents."""
        return self.head(last.flatten(1))[:, 0]

    def logits(self, pictures: Tensor) -> Tensor:
        """Return the evidence for class 1 in pictures."""
        return self.logit(self(pictures).last)

    def map_at(self, pictures: Tensor, place: Place) -> Tensor:
        """Return the map in front of a step, for concepts."""
        values = pictures
        for number in range(place.block + 1):
            values = space_to_depth(values.chunk(2, -1)[0] if number else values)
            values, _ = self.in_order[number](values, last=place.step if number == place.block else None)
        return values

    def logit_from_map(self, values: Tensor, place: Place) -> Tensor:
        """Return the evidence that follows from the map in front of a step."""
        values, _ = self.in_order[place.block](values, first=place.step)
        for block in self.in_order[place.block + 1 :]:
            values, _ = block(space_to_depth(values.chunk(2, -1)[0]))
        return self.logit(values)

    @torch.no_grad()
    def initialise(self, pictures: Tensor) -> None:
        """Set the actnorms so that every channel of these pictures has mean 0 and standard deviation 1."""
        values = pictures
        for number, block in enumerate(self.in_order):
            values = space_to_depth(values.chunk(2, -1)[0] if number else values)
            values = block.initialise(values)

    def compute_in(self, dtype: torch.dtype) -> None:
        """Choose the numbers coupling nets compute with.

        bfloat16 is fast and good enough for learning; the inverse then misses by hundredths, so that
        explanations need float32.
        """
        for block in self.in_order:
            block.dtype = dtype


def space_to_depth(values: Tensor) -> Tensor:
    """Halve width and height: squares of four positions become one with four times the channels."""
    n, height, width, channels = values.shape
    squares = values.reshape(n, height // 2, 2, width // 2, 2, channels).permute(0, 1, 3, 2, 4, 5)
    return squares.reshape(n, height // 2, width // 2, 4 * channels)


def depth_to_space(values: Tensor) -> Tensor:
    """Undo `space_to_depth`."""
    n, height, width, channels = values.shape
    squares = values.reshape(n, height, width, 2, 2, channels // 4).permute(0, 1, 3, 2, 4, 5)
    return squares.reshape(n, height * 2, width * 2, channels // 4)


# An ordinary convolutional network for pictures: a classifier, or an observer that reads attributes off a picture.


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
