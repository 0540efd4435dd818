"""Placing prototypes: where they start, and how they are moved onto cases (Chen et al., 2019)."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from understudy.roles import Floats, Rng
from understudy.sources.cases import Ints
from understudy.training.classifier_data import CaseRows, latents_of
from understudy.training.nets.classifiers import ClassifierNet
from understudy.training.nets.prototypes import Prototypes

Marks: TypeAlias = npt.NDArray[np.bool_]
N_ROUNDS = 50


def set_prototypes(net: ClassifierNet, rows: CaseRows, *, n_each: int, rng: Rng) -> Prototypes:
    """Replace the linear head by prototypes at the cluster centres of each class, moved onto cases at once."""
    latents = latents_of(net, rows).numpy().astype(np.float64)
    labels = rows.labels.numpy()
    n_classes = int(labels.max()) + 1
    centres = [centres_of(latents[labels == label], n_each, rng) for label in range(n_classes)]
    head = Prototypes(n_classes, n_each, latents.shape[1])
    with torch.no_grad():
        head.places.copy_(torch.from_numpy(np.concatenate(centres)))
    net.head = head
    move_onto_cases(head, latents_of(net, rows), rows.labels)
    return head


def centres_of(points: Floats, n: int, rng: Rng) -> Floats:
    """Return n cluster centres by k-means, started far from each other."""
    # With fewer distinct points than centres, k-means++ would divide by a distance of zero.
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


def move_onto_cases(head: Prototypes, latents: Tensor, labels: Tensor, *, allowed: Marks | None = None) -> Ints:
    """Move each prototype onto the nearest case of its class that no other has taken, and return the rows of those cases.

    Only allowed cases are taken, where a class has enough of them.
    """
    taken = np.zeros(len(labels), dtype=bool)
    if allowed is not None:
        n_allowed = np.bincount(labels.numpy()[allowed], minlength=head.n_classes)
        taken = ~allowed & (n_allowed >= head.n_each)[labels.numpy()]
    chosen = np.zeros(len(head.places), dtype=np.int64)
    with torch.no_grad():
        for prototype in range(len(head.places)):
            distances = (latents - head.places[prototype]).square().sum(1).numpy().astype(np.float64)
            is_open = (labels.numpy() == prototype // head.n_each) & ~taken
            chosen[prototype] = int(np.argmin(np.where(is_open, distances, np.inf)))
            taken[chosen[prototype]] = True
        head.places.copy_(latents[torch.from_numpy(chosen)])
    return chosen


def _squared(points: Floats, centres: Floats) -> Floats:
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
