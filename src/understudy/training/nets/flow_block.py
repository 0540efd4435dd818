"""The steps of one block of an invertible network: actnorm, invertible 1x1 convolution, affine coupling.

The weights of all steps of a block are stacked, so that what does not depend on the pictures (the mixing matrices, casts
of weights) is computed for all steps at once. A captured step on a graphics card waits for the number of its kernels
rather than for their work.
"""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn


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
