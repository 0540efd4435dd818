"""Initial weights, as the papers of the models state them."""

import torch
from torch import nn

_Weighted = nn.Linear | nn.Conv2d | nn.ConvTranspose2d


def draw_fan_in(module: nn.Module, generator: torch.Generator) -> None:
    """Draw weights and biases uniformly within one over the root of the number of inputs."""
    if isinstance(module, _Weighted):
        n_inputs = (
            module.in_features if isinstance(module, nn.Linear) else module.in_channels * module.weight[0, 0].numel()
        )
        bound = n_inputs**-0.5
        nn.init.uniform_(module.weight, -bound, bound, generator=generator)
        if module.bias is not None:
            nn.init.uniform_(module.bias, -bound, bound, generator=generator)


def draw_glorot(module: nn.Module, generator: torch.Generator) -> None:
    """Draw weights uniformly within the bound of Glorot and Bengio (2010); biases are 0."""
    if isinstance(module, _Weighted):
        nn.init.xavier_uniform_(module.weight, generator=generator)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def draw_small(module: nn.Module, generator: torch.Generator) -> None:
    """Draw weights from a narrow normal, cut off at two standard deviations; biases are 0."""
    if isinstance(module, _Weighted):
        nn.init.trunc_normal_(module.weight, std=0.02, a=-0.04, b=0.04, generator=generator)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
