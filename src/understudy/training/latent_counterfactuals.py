"""Counterfactuals of a network that cannot be inverted, drawn by one that can.

The latents of an invertible network describe pictures; the other network's logit is moved along its gradient in them,
and the inverse draws what that means. Only the pictures come from the invertible network; the evidence does not.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from understudy.training.counterfactuals import Interpolation
from understudy.training.nets.flow import Flow
from understudy.training.picture_data import levels_to_values

N_STEPS = 40
LARGEST_STEP = 5.0
"""Longest step in latents, where each has a spread of about 1: the gradient holds only nearby."""


def latent_counterfactuals(
    flow: Flow,
    logits_of: Callable[[Tensor], Tensor],
    levels: Tensor,
    targets: Sequence[float],
    *,
    tolerance: float = 0.01,
) -> Interpolation:
    """Return pictures to which another network gives the targets as logits, as near as the steps allow."""
    with torch.no_grad():
        latents = flow(levels_to_values(levels))
    start = [latents.last, *latents.split_off]
    pictures = [_moved(flow, logits_of, start, target, tolerance) for target in targets]
    return Interpolation(torch.stack(pictures, 1), tuple(targets))


def _moved(
    flow: Flow, logits_of: Callable[[Tensor], Tensor], start: list[Tensor], target: float, tolerance: float
) -> Tensor:
    latents = [part.clone() for part in start]
    for _ in range(N_STEPS):
        for part in latents:
            part.requires_grad_()
        picture = flow.inverse(latents[0], latents[1:])
        missing = target - logits_of(picture)
        if float(missing.detach().abs().max()) < tolerance:
            break
        gradients = torch.autograd.grad(missing.sum(), latents)
        latents = _stepped(latents, gradients, missing.detach())
    with torch.no_grad():
        return flow.inverse(latents[0], latents[1:])


def _stepped(latents: list[Tensor], gradients: Sequence[Tensor], missing: Tensor) -> list[Tensor]:
    """Go along the gradient as far as the missing logit asks, but not farther than it can be trusted."""
    squares = torch.stack([gradient.flatten(1).square().sum(1) for gradient in gradients]).sum(0)
    # Newton's step of a function of one number: the gradient is that of what is missing, hence the sign.
    size = -missing / squares.clamp_min(1e-12)
    size = size * (LARGEST_STEP / (size.abs() * squares.sqrt())).clamp(max=1)
    return [
        (part + size.view(-1, *[1] * (part.ndim - 1)) * gradient).detach()
        for part, gradient in zip(latents, gradients, strict=True)
    ]
