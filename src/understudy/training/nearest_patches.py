"""Nearest patches: where in the training pictures each prototype finds what is most like it."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.training.map_rows import Rows
from understudy.training.nets.map_outputs import MapNet
from understudy.training.nets.protopnet import ProtoPNetHead
from understudy.training.nets.prototree import ProtoTreeHead

CHUNK = 100


class Nearest(NamedTuple):
    """The nearest place of each picture to each prototype: both (pictures, prototypes)."""

    distances: Tensor
    """Squared."""
    places: Tensor
    """Counted row by row."""


class PatchSource(NamedTuple):
    """Where the patch of a prototype comes from."""

    picture: int
    """Position in the training part."""
    row: int
    column: int


@torch.no_grad()
def nearest_patches(net: MapNet, rows: Rows) -> Nearest:
    """Return distances and places for all pictures, unchanged."""
    head = prototype_head(net)
    net.eval()
    distances, places = [], []
    for chunk in _chunks(rows):
        by_place = head.distances(head.latents(net.body(rows.plain(chunk)))).flatten(2)
        nearest = by_place.min(2)
        distances.append(nearest.values)
        places.append(nearest.indices)
    return Nearest(torch.cat(distances), torch.cat(places))


@torch.no_grad()
def move_onto(net: MapNet, rows: Rows, pictures: Tensor, nearest: Nearest) -> list[PatchSource]:
    """Set prototype k to its nearest patch of picture `pictures[k]`, and return where the patches are."""
    head = prototype_head(net)
    net.eval()
    sources = []
    for prototype, picture in enumerate(pictures.tolist()):
        latents = head.latents(net.body(rows.plain(pictures[prototype : prototype + 1])))[0]
        place = int(nearest.places[picture, prototype])
        head.prototypes[prototype] = latents.flatten(1)[:, place]
        sources.append(PatchSource(picture, *divmod(place, latents.shape[2])))
    return sources


@torch.no_grad()
def scores_of(net: MapNet, rows: Rows) -> Tensor:
    """Return the logits of all pictures, unchanged."""
    net.eval()
    return torch.cat([net(rows.plain(chunk)).logits for chunk in _chunks(rows)])


@torch.no_grad()
def highest_similarities(net: MapNet, rows: Rows) -> Tensor:
    """Return how similar each picture is to each prototype, at its most similar place."""
    net.eval()
    return torch.cat([net(rows.plain(chunk)).maps.amax((2, 3)) for chunk in _chunks(rows)])


def prototype_head(net: MapNet) -> ProtoPNetHead | ProtoTreeHead:
    """Return the head of a network with prototypes."""
    head = net.head
    if not isinstance(head, ProtoPNetHead | ProtoTreeHead):
        raise TypeError(f"A head with prototypes is needed, not {type(head).__name__}.")
    return head


def _chunks(rows: Rows) -> Iterator[Tensor]:
    yield from torch.arange(len(rows.labels), device=rows.labels.device).split(CHUNK)
