"""Edits: values and words that may replace others, and how likely they are.

Between 0 and 1, where 1 means that the new value is at least as likely as the old one: the geometric mean over
the edits of the ratio of two conditional probabilities. For a variable these are given each of the other variables, and
averaged; for a word they are given the word before, times that of the word after. Frequencies of single values and words
are used if pairs are rare.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from understudy.roles import Floats, Variables

SMOOTHING = 0.5
PAIR_WEIGHT = 0.7
"""How much the pair counts compared with the single word."""


@dataclass(frozen=True)
class CodeOdds:
    """Judges edits of codes."""

    starts: npt.NDArray[np.int64]
    together: Floats
    """How many real cases have both of two values, over all values of all variables."""

    @classmethod
    def from_rows(cls, rows: Floats, legend: Variables) -> "CodeOdds":
        """Count values and pairs of values."""
        sizes = [len(values) for values in legend.values]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        table = np.zeros((len(rows), sum(sizes)))
        np.put_along_axis(table, rows.astype(np.int64) + starts, 1.0, axis=1)
        return cls(starts, table.T @ table)

    def plausibility(self, original: Floats, edited: Floats) -> Floats:
        """Return the plausibility of each edited row."""
        return np.array([self._of(before, after) for before, after in zip(original, edited, strict=True)])

    def _of(self, original: Floats, edited: Floats) -> float:
        before, after = (row.astype(np.int64) + self.starts for row in (original, edited))
        places = np.flatnonzero(original != edited)
        ratios = []
        for column in places:
            others = np.delete(after, column)
            n_given = self.together[others, others] + SMOOTHING
            new, old = ((self.together[row[column], others] + SMOOTHING) / n_given for row in (after, before))
            ratios.append(float(np.mean(new) / np.mean(old)))
        return _as_share(ratios)


@dataclass(frozen=True)
class WordOdds:
    """Judges edits of sentences."""

    single: Floats
    """The share of each word."""
    n_before: Floats
    """How often each word has another after it."""
    pairs: dict[tuple[int, int], int]

    @classmethod
    def from_rows(cls, rows: Floats, n_words: int) -> "WordOdds":
        """Count words and pairs of words."""
        tokens = rows.astype(np.int64)
        first, second = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
        is_pair = (first >= 0) & (second >= 0)
        pairs = Counter(zip(first[is_pair].tolist(), second[is_pair].tolist(), strict=True))
        counts = np.bincount(tokens[tokens >= 0], minlength=n_words) + SMOOTHING
        n_before = (np.bincount(first[is_pair], minlength=n_words) + 1).astype(np.float64)
        return cls(np.asarray(counts / counts.sum(), dtype=np.float64), n_before, dict(pairs))

    def plausibility(self, original: Floats, edited: Floats) -> Floats:
        """Return the plausibility of each edited sentence."""
        return np.array([self._of(before, after) for before, after in zip(original, edited, strict=True)])

    def _of(self, original: Floats, edited: Floats) -> float:
        before, after = ([int(token) for token in row if token >= 0] for row in (original, edited))
        ratios = []
        for position, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                ratios.append(self._fit(after, position, new) / self._fit(after, position, old))
        return _as_share(ratios)

    def _fit(self, sentence: list[int], position: int, word: int) -> float:
        """Return how well a word fits between its neighbours."""
        fit = self._after(sentence[position - 1], word) if position else float(self.single[word])
        return fit * (self._after(word, sentence[position + 1]) if position + 1 < len(sentence) else 1.0)

    def _after(self, first: int, second: int) -> float:
        pair = self.pairs.get((first, second), 0) / self.n_before[first]
        return float(PAIR_WEIGHT * pair + (1 - PAIR_WEIGHT) * self.single[second])


def _as_share(ratios: list[float]) -> float:
    if not ratios:
        return 1.0
    return round(float(min(1.0, np.exp(np.mean(np.log(ratios))))), 6)


# Value edits: set few variables of a row to other values, with all sets of variables and all values equally likely.
#
# Both functions draw from the same edits, but in another order: the items of a study depend on one, its explanations on
# the other, and both must give the same result for the same seed in every version.

Ints = npt.NDArray[np.int64]


def edited_codes(rows: Floats, n_values: Sequence[int], counts: Ints, rng: np.random.Generator) -> Floats:
    """Draw one edit of each row, with so many variables changed; a variable with one value only is never edited."""
    sizes = np.asarray(n_values, dtype=np.int64)
    keys = np.where(sizes > 1, rng.random(rows.shape), np.inf)
    is_edited = lowest(keys, counts[:, None]) & (sizes > 1)
    moves = 1 + np.floor(rng.random(rows.shape) * np.maximum(sizes - 1, 1))
    return np.where(is_edited, (rows + moves) % sizes, rows)


def lowest(keys: Floats, counts: Ints | int) -> npt.NDArray[np.bool_]:
    """Tell which keys are among the lowest of their row; with random keys, this chooses without replacement."""
    return np.asarray(np.argsort(np.argsort(keys, axis=1), axis=1) < counts)


def edited_rows(row: Floats, n_values: Sequence[int], n_rows: int, max_edits: int, rng: np.random.Generator) -> Floats:
    """Draw many edits of one row, with one to max_edits variables changed; fast enough for every explained item."""
    sizes = np.asarray(n_values, dtype=np.int64)
    open_to_edits = np.flatnonzero(sizes > 1)
    most = min(max_edits, len(open_to_edits))
    rows = np.repeat(row[None], n_rows, axis=0)
    if most == 0:
        return rows
    n_edits = rng.integers(1, most + 1, size=n_rows)
    picked = _different(n_rows, most, len(open_to_edits), rng)
    for turn in range(most):
        edited = np.flatnonzero(n_edits > turn)
        column = open_to_edits[picked[edited, turn]]
        value = (rng.random(len(edited)) * (sizes[column] - 1)).astype(np.int64)
        # Values from the present one upward move up by one, so that the present value is never drawn.
        value += value >= row[column].astype(np.int64)
        rows[edited, column] = value
    return rows


def _different(n_rows: int, n_picked: int, n_of: int, rng: np.random.Generator) -> Ints:
    """Pick different numbers for each row: each new one skips those that were picked before it."""
    picked = np.zeros((n_rows, n_picked), dtype=np.int64)
    for turn in range(n_picked):
        number = rng.integers(n_of - turn, size=n_rows)
        for earlier in np.sort(picked[:, :turn], axis=1).T:
            number += number >= earlier
        picked[:, turn] = number
    return picked


# Word edits: replace words by similar ones.

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
