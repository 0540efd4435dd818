"""Losses: of autoencoders, sums over the values of an instance; all are means over the batch."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from understudy.training.decoder_nets import Autoencoder
from understudy.training.prototypes import Prototypes
from understudy.training.recipes import DecoderRecipe

MAX_DISTANCE = 4.0
"""Squared distance beyond which the other class's prototypes are far enough."""


def reconstruction_loss(target: Tensor, output: Tensor, *, is_logit: bool) -> Tensor:
    """Return binary cross-entropy of pixels, or squared error of values."""
    if is_logit:
        return functional.binary_cross_entropy_with_logits(output, target, reduction="none").sum(1).mean()
    return (target - output).square().sum(1).mean()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence of the posterior from a standard normal prior."""
    return -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).mean()


def total_correlation(code: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Return the minibatch estimate of total correlation, without its constants (Chen et al., 2018)."""
    spread = code[:, None] - mean[None]
    log_density = -0.5 * (math.log(2 * math.pi) + log_variance[None] + spread.square() / log_variance.exp()[None])
    joint = log_density.sum(2).logsumexp(1)
    apart = log_density.logsumexp(1).sum(1)
    return (joint - apart).mean()


def autoencoder_loss(recipe: DecoderRecipe, nets: Autoencoder, batch: tuple[Tensor, Tensor], noise: Tensor) -> Tensor:
    """Return the loss of a recipe on a batch of rows and what comes with them.

    That is true factors for supervised truth, and one-hot labels for the label-conditioned model. `noise` is standard
    normal, one row for each code.
    """
    rows, side = batch
    is_logit = nets.ends_in_sigmoid
    if nets.encoder is None or nets.mean is None:
        return reconstruction_loss(rows, nets.decoder(side), is_logit=is_logit)
    hidden = nets.encoder(rows)
    mean = nets.mean(hidden)
    if nets.log_variance is None:
        return reconstruction_loss(rows, nets.decoder(mean), is_logit=is_logit)
    log_variance = nets.log_variance(hidden)
    code = mean + (0.5 * log_variance).exp() * noise
    decoded = nets.decoder(torch.cat([side, code], dim=1) if recipe.family == "ss" else code)
    loss = reconstruction_loss(rows, decoded, is_logit=is_logit) + divergence(mean, log_variance)
    if recipe.family in {"tc", "ss"}:
        loss = loss + recipe.total_correlation_weight * total_correlation(code, mean, log_variance)
    return loss


@dataclass(frozen=True)
class PrototypeWeights:
    """What the distances between cases and prototypes weigh, next to the cross-entropy."""

    separation: float
    """From a case to the nearest prototype of another class, which should be far."""
    clustering: float = 0.0
    """From a case to the nearest prototype of its class, which should be near (Chen et al., 2019)."""
    grounding: float = 0.0
    """From a prototype to the nearest case of its class, which should be near (Li et al., 2018)."""


def prototype_loss(head: Prototypes, latents: Tensor, labels: Tensor, weights: PrototypeWeights) -> Tensor:
    """Return cross-entropy of the evidence, with the distances that place cases and prototypes."""
    is_own = torch.arange(len(head.places)) // head.n_each == labels.unsqueeze(1)
    distances = head.distances(latents)
    to_own = distances.masked_fill(~is_own, float("inf"))
    # The distance is capped, or the loss could fall for ever by pushing classes apart.
    apart = distances.masked_fill(is_own, float("inf")).amin(1).clamp(max=MAX_DISTANCE).mean()
    loss = functional.cross_entropy(head(latents), labels) - weights.separation * apart
    if weights.clustering:
        loss = loss + weights.clustering * to_own.amin(1).mean()
    if weights.grounding:
        # A class that is missing from a batch has no case to be near to.
        nearest = to_own.amin(0)
        loss = loss + weights.grounding * nearest[nearest.isfinite()].mean()
    return loss
