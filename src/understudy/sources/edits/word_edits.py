"""Word edits: replace words by similar ones."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

N_NEAR = 500
"""How many of the most similar words are searched for words of the same kind."""


class WordTable(NamedTuple):
    """What is known about each word of a vocabulary."""

    directions: Floats
    """Its vector, of length one; zeros if none is known."""
    kinds: Ints
    """A number for its part of speech, or for part and form; words of one kind may replace each other."""
    is_editable: Flags


class Choices(NamedTuple):
    """The positions of a text that can be edited, and the words that may replace each."""

    places: Ints
    words: Ints
    """One row for each position."""
    cumulative: Floats
    """The cumulative chance of each word and those before it."""


def choices_for(ids: Ints, table: WordTable, *, n_choices: int, temperature: float) -> Choices:
    """Find the most similar words of the same kind; the chance grows with the similarity to the power 1 / T."""
    editable = np.flatnonzero((ids >= 0) & table.is_editable[np.maximum(ids, 0)])
    similarity = table.directions[ids[editable]] @ table.directions.T
    similarity[np.arange(len(editable)), ids[editable]] = -np.inf
    # A partial sort of the nearest is enough: sorting the whole vocabulary for each word would dominate the time.
    n_near = min(N_NEAR, similarity.shape[1])
    near = np.argpartition(-similarity, n_near - 1, axis=1)[:, :n_near]
    nearness = np.take_along_axis(similarity, near, axis=1)
    # Equal similarities are told apart by the word's number, so that the same text always has the same choices.
    order = np.lexsort((near, -nearness), axis=1)
    near, nearness = np.take_along_axis(near, order, axis=1), np.take_along_axis(nearness, order, axis=1)
    fits = (nearness > 0) & (table.kinds[near] == table.kinds[ids[editable]][:, None]) & table.is_editable[near]
    fits &= np.cumsum(fits, axis=1) <= n_choices
    chance = np.where(fits, np.where(fits, nearness, 1.0) ** (1 / temperature), 0.0)
    has_any = fits.any(axis=1)
    chance = chance[has_any] / chance[has_any].sum(axis=1, keepdims=True)
    return Choices(editable[has_any].astype(np.int64), near[has_any].astype(np.int64), np.cumsum(chance, axis=1))


def change_chance(n_tokens: int) -> float:
    """Return how likely each exchangeable word of a text changes, in the procedure of Hase and Bansal (2020)."""
    return 0.25 - min(0.005 * n_tokens, 0.15)


def edited_texts(ids: Floats, choices: Choices, changes: Flags, draws: Floats) -> Floats:
    """Replace the word at each position that changes; `changes` has one column for each editable position.

    `draws` are uniform random numbers, one for each change: those of the first position, then those of the second.
    """
    texts = np.repeat(ids[None], len(changes), axis=0)
    ends = np.cumsum(changes.sum(axis=0))
    for column, part_draws in enumerate(np.split(draws, ends[:-1])[: len(choices.places)]):
        chances = choices.cumulative[column]
        drawn = np.searchsorted(chances, part_draws * chances[-1], side="right")
        words = choices.words[column, np.minimum(drawn, len(chances) - 1)]
        texts[np.flatnonzero(changes[:, column]), choices.places[column]] = words
    return texts
