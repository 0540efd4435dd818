"""InfoGAN: a generator and a critic that learn against each other, and a reader of the code."""

from dataclasses import dataclass

import torch
from torch import nn

from understudy.training.nets.initial_weights import draw_small
from understudy.training.recipes import DecoderRecipe


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
