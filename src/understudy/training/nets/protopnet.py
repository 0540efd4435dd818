"""The head of ProtoPNet (Chen et al. 2019): how similar are places of a picture to patches of training pictures?"""

import torch
from torch import Tensor, nn

from understudy.training.nets.map_outputs import MapOutput

_SMALLEST = 1e-4
_OTHERS = -0.5
"""The weight of a prototype for the classes that it does not speak for, before the last layer learns."""


class ProtoPNetHead(nn.Module):
    """Two 1 x 1 convolutions, prototypes of each class, and a linear layer over their similarities."""

    prototype_labels: Tensor
    """The class that each prototype speaks for."""
    is_exact: bool
    """Whether distances are computed without rounding errors, which takes longer."""

    def __init__(self, n_features: int, n_labels: int, *, n_each: int, n_latent: int) -> None:
        super().__init__()
        self.is_exact = False
        self.add_on = nn.Sequential(
            nn.Conv2d(n_features, n_latent, 1), nn.ReLU(), nn.Conv2d(n_latent, n_latent, 1), nn.Sigmoid()
        )
        self.prototypes = nn.Parameter(torch.rand(n_labels * n_each, n_latent))
        self.register_buffer("prototype_labels", torch.arange(n_labels).repeat_interleave(n_each))
        self.weights = nn.Parameter(torch.where(self.is_own(n_labels), 1.0, _OTHERS))

    def is_own(self, n_labels: int) -> Tensor:
        """Tell for each class and prototype whether they belong together."""
        labels = torch.arange(n_labels, device=self.prototype_labels.device)
        return labels[:, None] == self.prototype_labels[None]

    def latents(self, features: Tensor) -> Tensor:
        """Return what is compared with prototypes, at each place."""
        return self.add_on(features)

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each place to each prototype."""
        return squared_distances(latents, self.prototypes, is_exact=self.is_exact)

    def similarities(self, distances: Tensor) -> Tensor:
        """Return similarities of squared distances."""
        return torch.log((distances + 1) / (distances + _SMALLEST))

    def forward(self, features: Tensor) -> MapOutput:
        """Return logits, and how similar each place is to each prototype."""
        maps = self.similarities(self.distances(self.latents(features)))
        return MapOutput(maps.amax((2, 3)) @ self.weights.T, maps)

    def keep(self, is_kept: Tensor) -> None:
        """Drop all other prototypes."""
        self.prototypes = nn.Parameter(self.prototypes.detach()[is_kept])
        self.weights = nn.Parameter(self.weights.detach()[:, is_kept])
        self.prototype_labels = self.prototype_labels[is_kept]


def squared_distances(latents: Tensor, prototypes: Tensor, *, is_exact: bool = False) -> Tensor:
    """Return the squared Euclidean distance of each place to each prototype: (n, prototypes, rows, columns)."""
    if is_exact:
        return (latents[:, None] - prototypes[None, :, :, None, None]).square().sum(2)
    # By way of products this is fast, but small distances are lost in the rounding of long vectors.
    products = nn.functional.conv2d(latents, prototypes[:, :, None, None])
    lengths = latents.square().sum(1, keepdim=True)
    return (lengths - 2 * products + prototypes.square().sum(1)[None, :, None, None]).clamp_min(0)
