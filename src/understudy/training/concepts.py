"""Concepts of a network: directions among its channels, found by factorisation of its activations.

After Zhang et al. (2021) as Sixt et al. (2022) use it. Activations of an invertible network have both signs, so that
the factors have both too: plain matrix factorisation, with a bias for each row and each column.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.sources.arrays import Floats
from understudy.training.picture_data import CHUNK

_RIDGE = 1e-6
"""Keeps the least-squares steps defined where fewer directions exist than are asked for."""


class Factors(NamedTuple):
    """A matrix as rows @ channels, plus a bias for each row and column."""

    rows: Floats
    channels: Floats
    """Component, channel: the concept vectors."""
    row_bias: Floats
    channel_bias: Floats

    @property
    def fitted(self) -> Floats:
        """The matrix that the factors approximate."""
        fitted: Floats = self.rows @ self.channels + self.row_bias[:, None] + self.channel_bias
        return fitted


class ConceptScores(NamedTuple):
    """What concepts contribute to the logits of pictures."""

    similarity: Floats
    """Picture, row, column, concept: activation times concept vector at each position."""
    importance: Floats
    """Picture, concept: the directional derivative of the logit along a concept, at all positions at once."""
    logits: Floats

    @property
    def contribution(self) -> Floats:
        """Picture, concept: the summed similarity times the importance."""
        contribution: Floats = self.similarity.sum((1, 2)) * self.importance
        return contribution


class Kept(NamedTuple):
    """A concept that is shown."""

    concept: int
    r: float
    """Pearson correlation of contribution and logit."""


def factorised(matrix: Floats, n_components: int, rng: np.random.Generator, *, n_rounds: int = 100) -> Factors:
    """Fit low-rank factors and biases to a matrix by alternating least squares.

    Each round solves for all of one side given the other, so that the squared error never rises.
    """
    n_rows, n_channels = matrix.shape
    if not 0 < n_components <= min(n_rows, n_channels):
        raise MaterialsError(
            f"{n_components} concepts cannot be found among {n_rows} rows of {n_channels} channels. Ask for 1 to "
            f"{min(n_rows, n_channels)}."
        )
    channels = rng.normal(size=(n_components, n_channels))
    row_bias, channel_bias = np.zeros(n_rows), matrix.mean(0)
    rows = np.zeros((n_rows, n_components))
    for _ in range(n_rounds):
        # A column of ones makes the bias of the other side one more unknown.
        solved = _least_squares(np.vstack([channels, np.ones(n_channels)]).T, (matrix - channel_bias).T).T
        rows, row_bias = solved[:, :-1], solved[:, -1]
        solved = _least_squares(np.column_stack([rows, np.ones(n_rows)]), matrix - row_bias[:, None])
        channels, channel_bias = solved[:-1], solved[-1]
    return Factors(rows, channels, row_bias, channel_bias)


def concept_scores(activations: Tensor, concepts: Floats, logit_from_map: Callable[[Tensor], Tensor]) -> ConceptScores:
    """Score concepts on the maps (picture, row, column, channel) of pictures."""
    vectors = torch.as_tensor(concepts, dtype=activations.dtype, device=activations.device)
    similarity, importance, logits = [], [], []
    for chunk in activations.split(CHUNK):
        values = chunk.detach().requires_grad_()
        logit = logit_from_map(values)
        # Pictures do not touch each other, so that the gradient of the sum is that of each logit.
        (gradient,) = torch.autograd.grad(logit.sum(), values)
        similarity.append(chunk @ vectors.T)
        importance.append(gradient.sum((1, 2)) @ vectors.T)
        logits.append(logit.detach())
    return ConceptScores(*(torch.cat(parts).double().cpu().numpy() for parts in (similarity, importance, logits)))


def kept_concepts(scores: ConceptScores, *, n_kept: int = 5, least: float = 0.0) -> tuple[Kept, ...]:
    """Return the concepts whose contributions correlate most with the logit, strongest first.

    `least` is the smallest |r| that is shown; the preregistration of Sixt et al. (2022) demands 0.2.
    """
    found = [Kept(concept, _pearson(values, scores.logits)) for concept, values in enumerate(scores.contribution.T)]
    ranked = sorted(found, key=lambda kept: -abs(kept.r))
    return tuple(kept for kept in ranked[:n_kept] if abs(kept.r) >= least)


def _least_squares(inputs: Floats, outputs: Floats) -> Floats:
    inner = inputs.T @ inputs
    solved: Floats = np.linalg.solve(
        inner + _RIDGE * np.trace(inner) / len(inner) * np.eye(len(inner)), inputs.T @ outputs
    )
    return solved


def _pearson(first: Floats, second: Floats) -> float:
    one, two = first - first.mean(), second - second.mean()
    size = float(np.sqrt((one @ one) * (two @ two)))
    # A concept that contributes nothing explains nothing.
    return float(one @ two) / size if size > 0 else 0.0
