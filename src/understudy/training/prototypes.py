"""Prototypes: a head that decides by similarity to training cases (Chen et al., 2019)."""

import torch
from torch import Tensor, nn


class Prototypes(nn.Module):
    """Evidence by similarity: for each class, exp(-squared distance) to the nearest of its prototypes."""

    def __init__(self, n_classes: int, n_each: int, n_latent: int) -> None:
        super().__init__()
        self.n_classes, self.n_each = n_classes, n_each
        self.places = nn.Parameter(torch.rand(n_classes * n_each, n_latent))

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each row to each prototype; those of the first class come first."""
        # Written out, since cdist loses the digits of small distances.
        return (latents.unsqueeze(1) - self.places).square().sum(2)

    def similarities(self, latents: Tensor) -> Tensor:
        """Return the similarity of each row to each prototype, between 0 and 1."""
        return (-self.distances(latents)).exp()

    def evidence(self, similarities: Tensor) -> Tensor:
        """Return the evidence for each class: the similarity to the nearest of its prototypes."""
        return similarities.view(-1, self.n_classes, self.n_each).amax(2)

    def forward(self, latents: Tensor) -> Tensor:
        """Return the evidence for each class, between 0 and 1."""
        return self.evidence(self.similarities(latents))
