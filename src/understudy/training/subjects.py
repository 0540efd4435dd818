"""Subjects: networks as grids need them, cut in two at a map in the middle.

The map serves concepts, and the logit follows from it, so that one pass over the pictures gives both.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.sources.arrays import Floats
from understudy.training.nets.flow import Flow, Place
from understudy.training.nets.picture_cnn import PictureCnn
from understudy.training.picture_data import levels_to_values

MAP_SIZE = 8
"""Width and height of the map that Sixt et al. (2022) took concepts from, at twice the pixels."""
_LAYERS = 6
"""Layers of a block of an ordinary network."""
_AT_ONCE = 250


@dataclass(frozen=True)
class Subject:
    """A network that is explained."""

    map_of: Callable[[Tensor], Tensor]
    """Pictures as values -> the map: picture, row, column, channel."""
    logit_from_map: Callable[[Tensor], Tensor]

    def logits(self, values: Tensor) -> Tensor:
        """Return the evidence for class 1."""
        return self.logit_from_map(self.map_of(values))


class Look(NamedTuple):
    """What a network makes of pictures."""

    maps: Tensor
    logits: Floats


def flow_subject(flow: Flow) -> Subject:
    """Cut an invertible network in the middle of the block with maps of 8 by 8, or of the middle block."""
    sizes = [flow.shape.n_pixels // 2 ** (number + 1) for number in range(len(flow.shape.n_steps))]
    block = sizes.index(MAP_SIZE) if MAP_SIZE in sizes else len(sizes) // 2
    place = Place(block, flow.shape.n_steps[block] // 2)
    return Subject(lambda values: flow.map_at(values, place), lambda maps: flow.logit_from_map(maps, place))


def net_subject(net: PictureCnn, n_pixels: int) -> Subject:
    """Cut an ordinary network after the block with maps of 8 by 8, or after the middle block."""
    sizes = [n_pixels // 2 ** (number + 1) for number in range(len(net.body) // _LAYERS)]
    n_layers = _LAYERS * (1 + (sizes.index(MAP_SIZE) if MAP_SIZE in sizes else len(sizes) // 2))
    before, after = net.body[:n_layers], net.body[n_layers:]

    def map_of(values: Tensor) -> Tensor:
        return before(values.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)

    def logit_from_map(maps: Tensor) -> Tensor:
        return net.head(after(maps.permute(0, 3, 1, 2)).flatten(1))[:, -1]

    return Subject(map_of, logit_from_map)


@torch.no_grad()
def look_at(subject: Subject, levels: Tensor, *, say: Callable[[int], None] = lambda _n: None) -> Look:
    """Return maps and logits of pictures, given as grey levels; `say` is told how many are done."""
    maps, logits = [], []
    for chunk in levels.split(_AT_ONCE):
        values = subject.map_of(levels_to_values(chunk))
        maps.append(values)
        logits.append(subject.logit_from_map(values))
        say(sum(map(len, maps)))
    return Look(torch.cat(maps), torch.cat(logits).double().cpu().numpy())
