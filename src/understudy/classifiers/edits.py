"""Edits: changed versions of cases, thousands at a time.

Codes: so many of the variables, all equally likely, get another of their values, all equally likely. Words: those of an
exchangeable part of speech give way to a similar word of the same part and form, the likelier the more similar.
"""

from dataclasses import dataclass, field

import numpy as np

from understudy.classifiers.cases import Ints
from understudy.classifiers.speech import EDITABLE, inflection
from understudy.roles import Floats, Rng, Variables, Vocabulary

N_LOOKED_AT = 500
"""The most similar words among which those of the right part and form are sought."""


def edited_codes(rows: Floats, counts: Ints, legend: Variables, rng: Rng) -> Floats:
    """Return the rows with so many variables of each changed."""
    n_values = np.array([len(values) for values in legend.values])
    keys = np.where(n_values > 1, rng.random(rows.shape), np.inf)
    ranks = np.argsort(np.argsort(keys, axis=1), axis=1)
    is_edited = (ranks < counts[:, None]) & (n_values > 1)
    moves = 1 + np.floor(rng.random(rows.shape) * np.maximum(n_values - 1, 1))
    return np.where(is_edited, (rows + moves) % n_values, rows)


@dataclass(frozen=True)
class Choices:
    """The words that may stand for a word, and how likely each is."""

    words: Ints
    shares: Floats


@dataclass(frozen=True)
class Neighbours:
    """Similar words of a vocabulary, looked up once for each word."""

    vocabulary: Vocabulary
    vectors: Floats
    """What similarity is taken from: of the vocabulary, or learned by a model."""
    n_kept: int = 100
    temperature: float = 0.4
    """Low makes the most similar words likelier still."""
    _known: dict[int, Choices] = field(default_factory=dict)

    def choices(self, word: int) -> Choices:
        """Return what may stand for a word; nothing when it is not exchangeable or has no neighbour."""
        if word not in self._known:
            self._known[word] = self._sought(word)
        return self._known[word]

    def _sought(self, word: int) -> Choices:
        nothing = Choices(np.zeros(0, dtype=np.int64), np.zeros(0))
        tags, words = self.vocabulary.tags, self.vocabulary.words
        own = self.vectors[word]
        if not tags or tags[word] not in EDITABLE or not own.any():
            return nothing
        lengths = np.linalg.norm(self.vectors, axis=1) * np.linalg.norm(own)
        likeness = np.where(lengths > 0, self.vectors @ own / np.maximum(lengths, 1e-12), -1.0)
        likeness[word] = -1.0
        nearest = np.argsort(-likeness, kind="stable")[:N_LOOKED_AT]
        fitting = [
            int(one)
            for one in nearest
            if likeness[one] > 0 and tags[one] == tags[word] and inflection(words[one]) == inflection(words[word])
        ][: self.n_kept]
        if not fitting:
            return nothing
        weights = likeness[fitting] ** (1 / self.temperature)
        return Choices(np.array(fitting, dtype=np.int64), weights / weights.sum())


def change_probability(n_tokens: int) -> float:
    """Return how likely each exchangeable word of a sentence is changed, in the published procedure."""
    return 0.25 - min(0.005 * n_tokens, 0.15)


def edited_sentence(
    row: Floats, n: int, neighbours: Neighbours, rng: Rng, *, count: int | None = None, probability: float | None = None
) -> Floats:
    """Return n versions of one sentence, with `count` words changed, or each with a `probability`.

    Without either, the probability of the published procedure is taken. A sentence with fewer exchangeable words than
    `count` stays as it is.
    """
    versions = np.tile(row, (n, 1))
    places = [place for place, word in enumerate(row) if word >= 0 and len(neighbours.choices(int(word)).words)]
    if not places or (count is not None and count > len(places)):
        return versions
    keys = rng.random((n, len(places)))
    if count is not None:
        is_edited = np.argsort(np.argsort(keys, axis=1), axis=1) < count
    else:
        is_edited = keys < (change_probability(int((row >= 0).sum())) if probability is None else probability)
    for column, place in enumerate(places):
        choices = neighbours.choices(int(row[place]))
        chosen = choices.words[np.searchsorted(np.cumsum(choices.shares)[:-1], rng.random(n), side="right")]
        versions[:, place] = np.where(is_edited[:, column], chosen, row[place])
    return versions
