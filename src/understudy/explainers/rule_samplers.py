"""Rule samplers: perturbed rows and texts that keep what a rule names."""

import numpy as np

from understudy.explainers.kernels.distinct import answers_of_texts
from understudy.explainers.kernels.rule_search import Flags, Tally, Whole
from understudy.roles import Floats, Model, Rng
from understudy.sources.edits.word_edits import Choices, edited_texts


class RowSampler:
    """Keeps the values a rule names; the rest of each row comes whole from the background.

    All rules of one search meet the background in the same order, so that their differences are their own.
    """

    def __init__(self, model: Model, row: Floats, background: Floats, rng: Rng) -> None:
        self._model, self._row = model, row
        self._rows = background[rng.permutation(len(background))]
        self._holds = background == row
        self._label = int(np.argmax(model.predict(row[None])[0]))

    @property
    def n_conditions(self) -> int:
        """One for each variable."""
        return len(self._row)

    @property
    def max_draws(self) -> int:
        """Each row of the background once."""
        return len(self._rows)

    @property
    def is_finite(self) -> bool:
        """The background is all there is to draw from."""
        return True

    def start(self, rules: Flags) -> Tally:
        """Know nothing: rows that meet a condition by chance differ from rows that are made to."""
        return Tally(np.zeros(len(rules), dtype=np.int64), np.zeros(len(rules)))

    def draw(self, rules: Flags, n_before: Whole, n_each: Whole) -> Floats:
        """Ask the model about the next rows under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        firsts = np.repeat(np.cumsum(n_each) - n_each, n_each)
        rows = self._rows[n_before[rule_of] + np.arange(len(rule_of)) - firsts]
        np.copyto(rows, self._row, where=rules[rule_of])
        kept = np.argmax(self._model.predict(rows), axis=1) == self._label
        return np.asarray(np.bincount(rule_of, weights=kept, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Count in the whole background, which leaves nothing to chance."""
        n_missed = (~self._holds).astype(np.float64) @ rules.T.astype(np.float64)
        return np.asarray((n_missed == 0).mean(axis=0), dtype=np.float64)


class TextSampler:
    """Keeps the words a rule names; each other editable word gives way to a similar one with a fixed chance."""

    def __init__(self, model: Model, row: Floats, choices: Choices, rng: Rng, *, change: float, draws: tuple[int, int]):
        self._model, self._row, self._choices, self._rng, self._change = model, row, choices, rng, change
        self._label = int(np.argmax(model.predict(row[None])[0]))
        n_pool, self._max_draws = draws
        self._pool_kept, self._pool_hits = self._asked(np.zeros((n_pool, self.n_conditions), dtype=np.bool_))

    @property
    def n_conditions(self) -> int:
        """One for each word that can be edited."""
        return len(self._choices.places)

    @property
    def max_draws(self) -> int:
        """As many as were allowed."""
        return self._max_draws

    @property
    def is_finite(self) -> bool:
        """There are always further texts."""
        return False

    def start(self, rules: Flags) -> Tally:
        """Count the free texts that kept a rule's words by chance: places change independently, so they are as good."""
        broken = (~self._pool_kept).astype(np.float64) @ rules.T.astype(np.float64)
        applies = broken == 0
        return Tally(applies.sum(axis=0), np.asarray(self._pool_hits @ applies, dtype=np.float64))

    def draw(self, rules: Flags, n_before: Whole, n_each: Whole) -> Floats:
        """Ask the model about new texts under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        _, hits = self._asked(rules[rule_of])
        return np.asarray(np.bincount(rule_of, weights=hits, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Return the chance that all the words of a rule stay."""
        return np.asarray((1 - self._change) ** rules.sum(axis=1), dtype=np.float64)

    def _asked(self, fixed: Flags) -> tuple[Flags, Floats]:
        changes = (self._rng.random(fixed.shape) < self._change) & ~fixed
        texts = edited_texts(self._row, self._choices, changes, self._rng.random(changes.sum()))
        hits = np.argmax(answers_of_texts(self._model.predict, texts), axis=1) == self._label
        return ~changes, hits.astype(np.float64)
