"""An invertible network of the Glow type, with a linear classifier on its last latents.

Kingma and Dhariwal (2018), with the changes of Sixt et al. (2022): the scale of a coupling is sigmoid(s) + 0.5, and what
is split off is kept, so that a picture can be computed back from changed latents. Pictures and maps are
(picture, row, column, channel): a 1x1 convolution is then one matrix product, and 3x3 ones need no copy on a graphics
card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from understudy.errors import MaterialsError
from understudy.training.nets.flow_block import FlowBlock


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
