"""Plausibility: how likely edits are compared with what they replace, judged by real cases.

Between 0 and 1, where 1 means that the new value is at least as likely as the old one: the geometric mean over
the edits of the ratio of two conditional probabilities. For a variable these are given each of the other variables, and
averaged; for a word they are given the word before, times that of the word after. Frequencies of single values and words
are used if pairs are rare.
"""

from collections import Counter
from dataclasses import dataclass

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
