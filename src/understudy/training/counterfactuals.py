"""Counterfactuals by the inverse: the same picture, computed back from latents that give another logit.

Along w, the weights of the classifier, the logit changes by |w|² per unit: latents + w (target - logit) / |w|² have the
target as their logit (Sixt et al., 2022). What is split off stays as it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from understudy.sources.logit_columns import target_logits
from understudy.training.nets.flow import Flow
from understudy.training.picture_data import CHUNK, levels_to_values, values_to_levels

__all__ = [
    "Deviation",
    "Interpolation",
    "Movement",
    "interpolated",
    "movements",
    "observed",
    "realised",
    "realised_logits",
    "target_logits",
]


@dataclass(frozen=True)
class Interpolation:
    """Counterfactuals of some pictures, one for each target."""

    values: Tensor
    """Picture, target, row, column, channel; between -0.5 and 0.5, except where the net leaves that range."""
    targets: tuple[float, ...]

    @property
    def levels(self) -> Tensor:
        """The same as grey levels."""
        return values_to_levels(self.values)


class Deviation(NamedTuple):
    """How far realised logits are from their targets."""

    mean: float
    median: float
    largest: float


class Movement(NamedTuple):
    """How far an attribute, as an observer sees it, moves along one interpolation."""

    mean: float
    deviation: float
    """Standard deviation over pictures."""


@torch.no_grad()
def interpolated(flow: Flow, levels: Tensor, targets: Sequence[float]) -> Interpolation:
    """Return counterfactuals of pictures, given as grey levels, at each target."""
    parts = [_interpolated(flow, chunk, targets) for chunk in levels.split(CHUNK)]
    return Interpolation(torch.cat(parts), tuple(targets))


@torch.no_grad()
def realised_logits(flow: Flow, pictures: Interpolation, *, is_rounded: bool) -> Tensor:
    """Return the logits (picture, target) of the pictures, as numbers or rounded to grey levels."""
    flat = pictures.values.flatten(0, 1)
    given = levels_to_values(values_to_levels(flat)) if is_rounded else flat
    logits = torch.cat([flow.logits(chunk) for chunk in given.split(CHUNK)])
    return logits.unflatten(0, pictures.values.shape[:2])


def realised(flow: Flow, pictures: Interpolation, *, is_rounded: bool) -> Deviation:
    """Compare the logits of the pictures, as numbers or rounded to grey levels, with their targets."""
    logits = realised_logits(flow, pictures, is_rounded=is_rounded)
    error = (logits - torch.tensor(pictures.targets, device=logits.device)).abs()
    return Deviation(float(error.mean()), float(error.median()), float(error.max()))


@torch.no_grad()
def observed(observer: Callable[[Tensor], Tensor], pictures: Interpolation) -> Tensor:
    """Return what an observer reads off the rounded pictures: picture, target, attribute."""
    flat = levels_to_values(pictures.levels.flatten(0, 1))
    seen = torch.cat([observer(chunk) for chunk in flat.split(CHUNK)])
    return seen.unflatten(0, pictures.values.shape[:2])


def movements(seen: Tensor) -> tuple[Movement, ...]:
    """Return for each attribute the largest minus the smallest value along an interpolation, over pictures."""
    span = seen.amax(1) - seen.amin(1)
    return tuple(
        Movement(float(mean), float(deviation))
        for deviation, mean in zip(*torch.std_mean(span.double(), 0), strict=True)
    )


def _interpolated(flow: Flow, levels: Tensor, targets: Sequence[float]) -> Tensor:
    latents = flow(levels_to_values(levels))
    weight = flow.head.weight[0]
    logits = flow.logit(latents.last)
    pictures = []
    for target in targets:
        # Divided in float64: the share of w that is missing would otherwise be the largest error of the logit.
        size = ((target - logits).double() / weight.double().square().sum()).float()
        moved = latents.last + (size[:, None] * weight).view_as(latents.last)
        pictures.append(flow.inverse(moved, latents.split_off))
    return torch.stack(pictures, 1)
