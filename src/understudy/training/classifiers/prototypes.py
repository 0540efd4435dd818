"""Prototypes: where they start, what pulls them, and how they are moved onto cases (Chen et al., 2019)."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from understudy.roles import Floats, Rng
from understudy.sources.cases import Ints
from understudy.training.classifiers.loops import Rows, cross_entropy, latents_of
from understudy.training.classifiers.nets import Net, Prototypes

MAX_DISTANCE = 4.0
"""Squared distance beyond which the other class's prototypes are far enough."""
N_ROUNDS = 50


def set_prototypes(net: Net, rows: Rows, *, n_each: int, rng: Rng) -> Prototypes:
    """Replace the linear head by prototypes at the cluster centres of each class, moved onto cases at once."""
    latents = latents_of(net, rows).numpy().astype(np.float64)
    labels = rows.labels.numpy()
    n_classes = int(labels.max()) + 1
    centres = [centres_of(latents[labels == one], n_each, rng) for one in range(n_classes)]
    head = Prototypes(n_classes, n_each, latents.shape[1])
    with torch.no_grad():
        head.places.copy_(torch.from_numpy(np.concatenate(centres)))
    net.head = head
    push(head, latents_of(net, rows), rows.labels)
    return head


def centres_of(points: Floats, n: int, rng: Rng) -> Floats:
    """Return n cluster centres by k-means, started far from each other."""
    if len(np.unique(points, axis=0)) < n:
        return points[rng.integers(len(points), size=n)]
    centres = points[[int(rng.integers(len(points)))]]
    while len(centres) < n:
        nearest = _squared(points, centres).min(axis=1)
        centres = np.vstack([centres, points[[int(rng.choice(len(points), p=nearest / nearest.sum()))]]])
    for _ in range(N_ROUNDS):
        owner = _squared(points, centres).argmin(axis=1)
        moved = np.array([points[owner == k].mean(axis=0) if (owner == k).any() else centres[k] for k in range(n)])
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres


def push(head: Prototypes, latents: Tensor, labels: Tensor) -> Ints:
    """Move each prototype onto the nearest case of its class that no other has taken, and return those cases' places."""
    taken = np.zeros(len(labels), dtype=bool)
    chosen = np.zeros(len(head.places), dtype=np.int64)
    with torch.no_grad():
        for place in range(len(head.places)):
            distances = (latents - head.places[place]).square().sum(1).numpy().astype(np.float64)
            is_open = (labels.numpy() == place // head.n_each) & ~taken
            chosen[place] = int(np.argmin(np.where(is_open, distances, np.inf)))
            taken[chosen[place]] = True
        head.places.copy_(latents[torch.from_numpy(chosen)])
    return chosen


def prototype_loss(separation: float) -> Callable[[Net, Tensor, Tensor], Tensor]:
    """Return the loss: cross-entropy of the evidence, less the distance to the nearest prototype of another class."""

    def loss(net: Net, inputs: Tensor, labels: Tensor) -> Tensor:
        head = net.head
        if not isinstance(head, Prototypes):
            return cross_entropy(net, inputs, labels)
        latents = net.latents(inputs)
        owner = torch.arange(len(head.places)) // head.n_each
        others = head.distances(latents).masked_fill(owner == labels.unsqueeze(1), float("inf"))
        apart = others.amin(1).clamp(max=MAX_DISTANCE).mean()
        return torch.nn.functional.cross_entropy(head(latents), labels) - separation * apart

    return loss


def _squared(points: Floats, centres: Floats) -> Floats:
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
