"""Rule samplers: perturbed rows and texts that keep what a rule names."""

from typing import NamedTuple

import numpy as np

from understudy.explainers.kernels.distinct import answers_of_texts
from understudy.explainers.kernels.rule_search import Flags, Ints, Tally
from understudy.roles import Floats, Model, Rng
from understudy.sources.edits.word_edits import Choices, edited_texts


class RowSampler:
    """Keeps the values a rule names; the rest of each row comes whole from the background.

    All rules of a search see the background in the same order, so chance does not separate them.
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
        """Start from zero: rows that meet a condition by chance differ from rows that are made to."""
        return Tally(np.zeros(len(rules), dtype=np.int64), np.zeros(len(rules)))

    def draw(self, rules: Flags, n_before: Ints, n_each: Ints) -> Floats:
        """Ask the model about the next rows under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        firsts = np.repeat(np.cumsum(n_each) - n_each, n_each)
        rows = self._rows[n_before[rule_of] + np.arange(len(rule_of)) - firsts]
        np.copyto(rows, self._row, where=rules[rule_of])
        agrees = np.argmax(self._model.predict(rows), axis=1) == self._label
        return np.asarray(np.bincount(rule_of, weights=agrees, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Return the exact share of the background that each rule applies to."""
        n_missed = (~self._holds).astype(np.float64) @ rules.T.astype(np.float64)
        return np.asarray((n_missed == 0).mean(axis=0), dtype=np.float64)


class TextDraws(NamedTuple):
    """How texts are drawn for rules."""

    change: float
    """The chance of each free word to be replaced."""
    n_pool: int
    """Texts drawn without a rule, which every rule counts first."""
    max_draws: int


class TextSampler:
    """Keeps the words a rule names; each other editable word is replaced by a similar one with a fixed chance."""

    def __init__(self, model: Model, row: Floats, choices: Choices, rng: Rng, *, draws: TextDraws) -> None:
        self._model, self._row, self._choices, self._rng, self._draws = model, row, choices, rng, draws
        self._label = int(np.argmax(model.predict(row[None])[0]))
        self._pool_kept, self._pool_hits = self._ask(np.zeros((draws.n_pool, self.n_conditions), dtype=np.bool_))

    @property
    def n_conditions(self) -> int:
        """One for each word that can be edited."""
        return len(self._choices.places)

    @property
    def max_draws(self) -> int:
        """The limit that the explainer sets."""
        return self._draws.max_draws

    @property
    def is_finite(self) -> bool:
        """There are always further texts."""
        return False

    def start(self, rules: Flags) -> Tally:
        """Count the free texts that kept a rule's words by chance; positions change independently, so these are valid draws."""
        broken = (~self._pool_kept).astype(np.float64) @ rules.T.astype(np.float64)
        applies = broken == 0
        return Tally(applies.sum(axis=0), np.asarray(self._pool_hits @ applies, dtype=np.float64))

    def draw(self, rules: Flags, n_before: Ints, n_each: Ints) -> Floats:
        """Ask the model about new texts under all the rules at once."""
        rule_of = np.repeat(np.arange(len(rules)), n_each)
        _, hits = self._ask(rules[rule_of])
        return np.asarray(np.bincount(rule_of, weights=hits, minlength=len(rules)), dtype=np.float64)

    def coverage(self, rules: Flags) -> Floats:
        """Return the chance that all the words of a rule stay."""
        return np.asarray((1 - self._draws.change) ** rules.sum(axis=1), dtype=np.float64)

    def _ask(self, fixed: Flags) -> tuple[Flags, Floats]:
        changes = (self._rng.random(fixed.shape) < self._draws.change) & ~fixed
        texts = edited_texts(self._row, self._choices, changes, self._rng.random(changes.sum()))
        hits = np.argmax(answers_of_texts(self._model.predict, texts), axis=1) == self._label
        return ~changes, hits.astype(np.float64)
