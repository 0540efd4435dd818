"""The head of ProtoTree (Nauta et al. 2021): a soft decision tree that asks whether prototypes are present.

One difference: every node has a scale for its distances, which learns. Without it, distances in 64 and more dimensions
are so long that exp(-distance) is close to 0 everywhere, and a tree that is read greedily never turns right.
"""

import torch
from torch import Tensor, nn

from understudy.training.nets.map_outputs import MapOutput
from understudy.training.nets.protopnet import squared_distances

SMALLEST = 1e-8
"""Added to squared distances: the slope of a root is infinite at 0."""


class ProtoTreeHead(nn.Module):
    """A full binary tree, its nodes numbered level by level. Right means present."""

    evidence: Tensor
    """What each leaf has gathered for each class, which learns without gradients."""
    evidence_before: Tensor
    """The same, at the start of the epoch."""
    is_exact: bool
    """Whether distances are computed without rounding errors, which takes longer."""

    def __init__(self, n_features: int, n_labels: int, *, depth: int, n_latent: int) -> None:
        super().__init__()
        self.depth, self.is_exact = depth, False
        self.add_on = nn.Sequential(nn.Conv2d(n_features, n_latent, 1, bias=False), nn.Sigmoid())
        self.prototypes = nn.Parameter(torch.rand(2**depth - 1, n_latent))
        self.log_scales = nn.Parameter(torch.zeros(2**depth - 1))
        self.register_buffer("evidence", torch.zeros(2**depth, n_labels))
        self.register_buffer("evidence_before", torch.zeros(2**depth, n_labels))

    def latents(self, features: Tensor) -> Tensor:
        """Return what is compared with prototypes, at each place."""
        return self.add_on(features)

    def distances(self, latents: Tensor) -> Tensor:
        """Return the squared distance of each place to each prototype."""
        return squared_distances(latents, self.prototypes, is_exact=self.is_exact)

    def similarities(self, distances: Tensor) -> Tensor:
        """Return similarities between 0 and 1 of squared distances."""
        scales = self.log_scales.exp()[None, :, None, None]
        return torch.exp(-scales * (distances + SMALLEST).sqrt())

    def maps(self, features: Tensor) -> Tensor:
        """Return how similar each place is to the prototype of each node."""
        return self.similarities(self.distances(self.latents(features)))

    def forward(self, features: Tensor) -> MapOutput:
        """Return the logarithms of the probabilities, mixed over all leaves, and the maps."""
        maps = self.maps(features)
        mixed = reach(maps.amax((2, 3))) @ self.leaves()
        return MapOutput((mixed + 1e-9).log(), maps)

    def leaves(self) -> Tensor:
        """Return the probability of each class in each leaf."""
        return self.evidence.softmax(1)


def reach(present: Tensor) -> Tensor:
    """Return the probability of reaching each leaf, from the probability at each node of going right."""
    reached = torch.ones(len(present), 1, dtype=present.dtype, device=present.device)
    first = 0
    while first < present.shape[1]:
        level = present[:, first : first + reached.shape[1]]
        first += reached.shape[1]
        reached = torch.stack([reached * (1 - level), reached * level], 2).flatten(1)
    return reached
