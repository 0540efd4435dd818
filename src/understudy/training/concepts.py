"""Concepts of a network: directions among its channels, found by factorisation of its activations.

After Zhang et al. (2021) as Sixt et al. (2022) use it. Activations of an invertible network have both signs, so that
the factors have both too: plain matrix factorisation, with a bias for each row and each column.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from understudy.errors import MaterialsError
from understudy.statistics.arrays import Floats, Ints
from understudy.training.flow_nets import Flow, PictureCnn, Place
from understudy.training.picture_data import CHUNK, levels_to_values

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


# Subjects: networks as grids need them, cut in two at a map in the middle.
#
# The map serves concepts, and the logit follows from it, so that one pass over the pictures gives both.

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


# Concept rows: the pictures that show most and least of each concept, and where in them it is.


@dataclass(frozen=True)
class ConceptOptions:
    """How concepts are found and shown, as in Sixt et al. (2022)."""

    n_components: int = 10
    n_vectors: int = 5000
    """Positions, from all pictures, whose activations are factorised."""
    n_scored: int = 300
    """Pictures that contributions are correlated over."""
    n_kept: int = 5
    n_columns: int = 5
    share: float = 0.1
    """Examples come from this share of the pictures with the highest, and with the lowest, similarity."""


class ConceptRow(NamedTuple):
    """One row of a grid of concepts."""

    concept: int
    r: float
    """Correlation of the concept's contribution with the logit."""
    is_high: bool
    places: Ints
    similarity: Floats
    """Picture, row, column."""


def concept_rows(subject: Subject, look: Look, rng: np.random.Generator, how: ConceptOptions) -> list[ConceptRow]:
    """Return two rows for each concept that correlates most with the logit: high similarity, then low."""
    n, n_examples = len(look.maps), int(len(look.maps) * how.share)
    if n_examples < how.n_columns:
        raise MaterialsError(
            f"A share of {how.share:g} of {n} pictures gives {n_examples} examples of a concept, but a row shows "
            f"{how.n_columns}. Give more pictures."
        )
    vectors = look.maps.flatten(0, 2)
    chosen = rng.choice(len(vectors), size=min(how.n_vectors, len(vectors)), replace=False)
    factors = factorised(vectors[chosen].double().cpu().numpy(), how.n_components, rng)
    scored = np.sort(rng.choice(n, size=min(how.n_scored, n), replace=False))
    scores = concept_scores(look.maps[scored], factors.channels, subject.logit_from_map)
    rows = []
    for concept, r in kept_concepts(scores, n_kept=how.n_kept):
        similarity: Floats = look.maps.double().cpu().numpy() @ factors.channels[concept]
        order = np.argsort(similarity.sum((1, 2)))
        for is_high, pool in ((True, order[-n_examples:]), (False, order[:n_examples])):
            places = rng.choice(pool, size=how.n_columns, replace=False)
            rows.append(ConceptRow(concept, r, is_high, places, similarity[places]))
    return rows
