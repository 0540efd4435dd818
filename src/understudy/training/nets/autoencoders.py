"""Autoencoders: dense for lines, convolutional for pictures, as plain sequences of layers."""

from dataclasses import dataclass

import torch
from torch import nn

from understudy.training.nets.initial_weights import draw_fan_in, draw_glorot
from understudy.training.recipes import DecoderRecipe

MNIST_MOMENTUM, MNIST_EPSILON = 0.01, 1e-3
"""The defaults of the original's library: the running mean keeps a weight of 0.99."""


@dataclass(frozen=True)
class Autoencoder:
    """An encoder into means and log variances, and a decoder into logits or values."""

    encoder: nn.Sequential | None
    """Absent if the true factors are the codes."""
    mean: nn.Linear | None
    log_variance: nn.Linear | None
    decoder: nn.Sequential
    ends_in_sigmoid: bool
    """Whether the decoder's numbers are logits of pixels."""

    def modules(self) -> nn.ModuleDict:
        """Return all parts as one module, for optimisers, devices and files."""
        parts = {"encoder": self.encoder, "mean": self.mean, "log_variance": self.log_variance, "decoder": self.decoder}
        return nn.ModuleDict({name: part for name, part in parts.items() if part is not None})


def autoencoder_from_recipe(recipe: DecoderRecipe, generator: torch.Generator) -> Autoencoder:
    """Build the nets of a recipe with freshly drawn weights."""
    build = {"sinelines": _sinelines, "dsprites": _dsprites, "mnist": _mnist}[recipe.dataset]
    nets = build(recipe)
    draw = draw_fan_in if recipe.dataset == "dsprites" else draw_glorot
    for module in nets.modules().modules():
        draw(module, generator)
    return nets


def _sinelines(recipe: DecoderRecipe) -> Autoencoder:
    return Autoencoder(
        encoder=nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()),
        mean=nn.Linear(256, recipe.n_dials),
        log_variance=nn.Linear(256, recipe.n_dials) if recipe.is_variational else None,
        decoder=nn.Sequential(
            nn.Linear(recipe.n_dials, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 64)
        ),
        ends_in_sigmoid=False,
    )


def _dsprites(recipe: DecoderRecipe) -> Autoencoder:
    encoder: list[nn.Module] = [nn.Unflatten(1, (1, 64, 64))]
    for n_channels in (1, 32, 32, 32):
        encoder += [nn.Conv2d(n_channels, 32, 4, stride=2, padding=1), nn.ReLU()]
    encoder += [nn.Flatten(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU()]
    decoder: list[nn.Module] = [nn.Linear(recipe.n_dials, 256), nn.ReLU(), nn.Linear(256, 512), nn.ReLU()]
    decoder += [nn.Unflatten(1, (32, 4, 4))]
    for _ in range(3):
        decoder += [nn.ConvTranspose2d(32, 32, 4, stride=2, padding=1), nn.ReLU()]
    decoder += [nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1), nn.Flatten()]
    is_supervised = recipe.family == "gt"
    return Autoencoder(
        encoder=None if is_supervised else nn.Sequential(*encoder),
        mean=None if is_supervised else nn.Linear(256, recipe.n_dials),
        log_variance=nn.Linear(256, recipe.n_dials) if recipe.is_variational else None,
        decoder=nn.Sequential(*decoder),
        ends_in_sigmoid=True,
    )


def _mnist(recipe: DecoderRecipe) -> Autoencoder:
    def batch_norm(n: int, *, is_flat: bool) -> nn.Module:
        kind = nn.BatchNorm1d if is_flat else nn.BatchNorm2d
        return kind(n, eps=MNIST_EPSILON, momentum=MNIST_MOMENTUM)

    return Autoencoder(
        encoder=nn.Sequential(
            nn.Unflatten(1, (1, 28, 28)),
            nn.Conv2d(1, 64, 4, stride=2, padding=1, bias=False),
            batch_norm(64, is_flat=False),
            nn.ReLU(),
            nn.Conv2d(64, 128, 4, stride=2, padding=1, bias=False),
            batch_norm(128, is_flat=False),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(6272, 1024),
            batch_norm(1024, is_flat=True),
            nn.ReLU(),
        ),
        mean=nn.Linear(1024, recipe.n_dials),
        log_variance=nn.Linear(1024, recipe.n_dials) if recipe.is_variational else None,
        decoder=nn.Sequential(
            nn.Linear(recipe.n_categories + recipe.n_dials, 1024),
            batch_norm(1024, is_flat=True),
            nn.LeakyReLU(0.2),
            nn.Linear(1024, 6272),
            batch_norm(6272, is_flat=True),
            nn.LeakyReLU(0.2),
            nn.Unflatten(1, (128, 7, 7)),
            nn.ConvTranspose2d(128, 64, 4, stride=2, padding=1, bias=False),
            batch_norm(64, is_flat=False),
            nn.LeakyReLU(0.2),
            nn.ConvTranspose2d(64, 1, 4, stride=2, padding=1, bias=False),
            nn.Flatten(),
        ),
        ends_in_sigmoid=True,
    )
