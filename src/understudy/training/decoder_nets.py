"""Nets of generative models: autoencoders and adversaries, and how weights begin."""

from dataclasses import dataclass

import torch
from torch import nn

from understudy.training.recipes import DecoderRecipe

# Initial weights, as the papers of the models state them.

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


@dataclass(frozen=True)
class Adversaries:
    """The generator of an InfoGAN, its critic, and the head that reads the code back."""

    decoder: nn.Sequential
    body: nn.Sequential
    critic: nn.Linear
    reader: nn.Sequential

    def modules(self) -> nn.ModuleDict:
        """Return all parts as one module, for devices and files."""
        return nn.ModuleDict({"decoder": self.decoder, "body": self.body, "critic": self.critic, "reader": self.reader})


def adversaries_from_recipe(recipe: DecoderRecipe, generator: torch.Generator) -> Adversaries:
    """Build the nets of an InfoGAN with freshly drawn weights."""
    n_inputs = recipe.n_categories + recipe.n_dials
    nets = Adversaries(
        decoder=nn.Sequential(
            nn.Linear(n_inputs, 1024),
            nn.BatchNorm1d(1024),
            nn.ReLU(),
            nn.Linear(1024, 6272),
            nn.BatchNorm1d(6272),
            nn.ReLU(),
            nn.Unflatten(1, (128, 7, 7)),
            nn.ConvTranspose2d(128, 64, 4, stride=2, padding=1),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.ConvTranspose2d(64, 1, 4, stride=2, padding=1),
            nn.Flatten(),
        ),
        body=nn.Sequential(
            nn.Unflatten(1, (1, 28, 28)),
            nn.Conv2d(1, 64, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(64, 128, 4, stride=2, padding=1),
            nn.BatchNorm2d(128),
            nn.LeakyReLU(0.2),
            nn.Flatten(),
            nn.Linear(6272, 1024),
            nn.BatchNorm1d(1024),
            nn.LeakyReLU(0.2),
        ),
        critic=nn.Linear(1024, 1),
        reader=nn.Sequential(
            nn.Linear(1024, 128), nn.BatchNorm1d(128), nn.LeakyReLU(0.2), nn.Linear(128, recipe.n_categories + 2)
        ),
    )
    for module in nets.modules().modules():
        draw_small(module, generator)
    return nets


# Autoencoders: dense for lines, convolutional for pictures, as plain sequences of layers.

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
