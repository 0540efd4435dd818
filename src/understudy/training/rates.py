"""Learning rates that rise linearly and fall along a cosine, computed where the net learns.

The count of steps is part of the module, so that a captured step follows its rate without the processor, and a resumed
run continues where it was.
"""

import math

import torch
from torch import Tensor, nn


class WarmCosine(nn.Module):
    """The share of the peak rate at each step."""

    n_done: Tensor

    def __init__(self, n_warm: int, n_steps: int) -> None:
        super().__init__()
        self.n_warm, self.n_steps = n_warm, n_steps
        self.register_buffer("n_done", torch.zeros(()))

    def forward(self) -> Tensor:
        """Return the share for this step, between 0 and 1, and count the step."""
        warm = ((self.n_done + 1) / self.n_warm).clamp(max=1)
        cosine = 0.5 * (1 + torch.cos(math.pi * (self.n_done / self.n_steps).clamp(max=1)))
        self.n_done += 1
        return warm * cosine


def falling_rate(optimiser: torch.optim.Optimizer, n_epochs: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Let a rate fall along half a cosine, a step after each epoch."""
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda epoch: 0.5 * (1 + math.cos(math.pi * epoch / n_epochs)))


def adam(module: nn.Module, peak: float) -> torch.optim.Adam:
    """Return Adam with its rate in a tensor, which a captured step can change."""
    parameters = list(module.parameters())
    rate = torch.tensor(peak, device=parameters[0].device)
    is_cuda = rate.is_cuda
    # On a processor a rate in a tensor needs the plain implementation.
    return torch.optim.Adam(parameters, lr=rate, foreach=False, fused=is_cuda, capturable=is_cuda)
