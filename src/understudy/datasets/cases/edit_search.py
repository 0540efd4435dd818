"""Edit search: find, for each wanted kind of edit, a case that has one, by drawing edits until one fits.

The first fitting edit has the same distribution as a random choice among many fitting ones.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from understudy.roles import Floats, Model, Rng, Variables
from understudy.sources.cases import Ints
from understudy.sources.edits.plausibility import CodeOdds, WordOdds
from understudy.sources.edits.value_edits import edited_codes, lowest
from understudy.sources.edits.word_edits import WordTable, change_chance, choices_for, edited_texts

MAX_WORDS = 5
"""The most words that the published procedure changes when it draws each word separately."""
N_FIRST = 8
"""Edits of a case in the first round; each round tries four times as many."""


class Slot(NamedTuple):
    """The edit wanted for one pair."""

    keeps: bool
    """Whether the edited version should get the prediction of the original."""
    n_edits: int | None
    """The number of edits, or the most if `is_exact` is false; None if each word changes with its own probability."""
    is_exact: bool


class FoundEdit(NamedTuple):
    """One pair of a case and its edited version."""

    row: int
    """The index of the original among the inputs."""
    edited: Floats
    prediction: int
    keeps: bool
    plausibility: float


class Editor(Protocol):
    """Creates edited versions of one case."""

    def versions(self, row: Floats, n: int, slot: Slot, rng: Rng) -> Floats:
        """Return n versions; those equal to the case do not count."""


@dataclass(frozen=True)
class CodeEditor:
    """Edits rows of codes."""

    legend: Variables

    def versions(self, row: Floats, n: int, slot: Slot, rng: Rng) -> Floats:
        """Return n versions of a row."""
        most = slot.n_edits or 1
        counts = np.full(n, most) if slot.is_exact else rng.integers(1, most + 1, size=n)
        return edited_codes(np.tile(row, (n, 1)), [len(values) for values in self.legend.values], counts, rng)


@dataclass(frozen=True)
class SentenceEditor:
    """Edits sentences."""

    words: WordTable
    n_choices: int
    temperature: float
    probability: float | None
    """The chance that each word changes if the number of edits is free. Default: as published."""

    def versions(self, row: Floats, n: int, slot: Slot, rng: Rng) -> Floats:
        """Return n versions of a sentence; copies of it if too few words can be replaced or too many changed."""
        ids = row.astype(np.int64)
        choices = choices_for(ids, self.words, n_choices=self.n_choices, temperature=self.temperature)
        n_slots = len(choices.places)
        if n_slots < (slot.n_edits or 1):
            return np.tile(row, (n, 1))
        keys = rng.random((n, n_slots))
        likely = change_chance(int((row >= 0).sum())) if self.probability is None else self.probability
        changes = keys < likely if slot.n_edits is None else lowest(keys, slot.n_edits)
        edited = edited_texts(row, choices, changes, rng.random((n_slots, n))[changes.T])
        is_over = changes.sum(axis=1) > MAX_WORDS
        return np.where(is_over[:, None] & (slot.n_edits is None), row, edited)


@dataclass(frozen=True)
class Search:
    """The search for pairs, with the criteria for edits."""

    models: tuple[Model, ...]
    """The model whose prediction counts, then those that must agree with it."""
    editor: Editor
    judge: CodeOdds | WordOdds
    n_tries: int
    min_plausibility: float
    rng: Rng
    _n_examined: list[int] = field(default_factory=list)

    def edits_for(self, inputs: Floats, slots: list[Slot]) -> list[FoundEdit]:
        """Return one pair per slot, in random order; fewer if the cases run out."""
        predictions = self._predictions(inputs)
        queue = [int(row) for row in np.flatnonzero(predictions >= 0)]
        n_unusable = int((predictions < 0).sum())
        pairs: dict[int, FoundEdit] = {}
        waiting = list(range(len(slots)))
        n_used = 0
        while waiting and n_used < len(queue):
            rows = queue[n_used : n_used + len(waiting)]
            n_used += len(rows)
            asked = waiting[: len(rows)]
            pairs |= self._try_edits(inputs, predictions, dict(zip(asked, rows, strict=True)), slots)
            waiting = [slot for slot in waiting if slot not in pairs]
        share = n_used / max(len(queue), 1)
        self._n_examined.append(n_used + round(n_unusable * share))
        # Kept and changed alternate over the slots, so the order of slots would give the answers away.
        return [pairs[sorted(pairs)[int(index)]] for index in self.rng.permutation(len(pairs))]

    def share_usable(self, n_found: int) -> float:
        """Return the share of the examined cases that became pairs."""
        return round(n_found / max(self._n_examined[-1], 1), 4)

    def _try_edits(
        self, inputs: Floats, predictions: Ints, row_of_slot: dict[int, int], slots: list[Slot]
    ) -> dict[int, FoundEdit]:
        """Try edits for all cases at once, and more of them for cases without a fitting one."""
        pairs: dict[int, FoundEdit] = {}
        n_done, n_now = 0, min(N_FIRST, self.n_tries)
        while n_now and len(pairs) < len(row_of_slot):
            left = [slot for slot in row_of_slot if slot not in pairs]
            versions = [self.editor.versions(inputs[row_of_slot[slot]], n_now, slots[slot], self.rng) for slot in left]
            answers = self._predictions(np.concatenate(versions)).reshape(len(left), n_now)
            for number, slot in enumerate(left):
                row = row_of_slot[slot]
                wanted = answers[number] >= 0
                wanted &= (answers[number] == predictions[row]) == slots[slot].keeps
                wanted &= (versions[number] != inputs[row]).any(axis=1)
                fitting = self._first(inputs[row], versions[number], np.flatnonzero(wanted))
                if fitting is not None:
                    version, plausibility = versions[number][fitting], self._plausibility
                    pairs[slot] = FoundEdit(
                        row,
                        version,
                        int(answers[number][fitting]),
                        slots[slot].keeps,
                        plausibility(inputs[row], version),
                    )
            n_done += n_now
            n_now = min(4 * n_now, self.n_tries - n_done)
        return pairs

    def _first(self, original: Floats, versions: Floats, candidates: Ints) -> int | None:
        """Return the first candidate that is plausible enough."""
        for index in candidates:
            # Plausibility is slow to compute, so it is skipped where it does not matter.
            if self.min_plausibility == 0 or self._plausibility(original, versions[index]) >= self.min_plausibility:
                return int(index)
        return None

    def _plausibility(self, original: Floats, edited: Floats) -> float:
        return float(self.judge.plausibility(original[None], edited[None])[0])

    def _predictions(self, inputs: Floats) -> Ints:
        """Return the prediction for each input, -1 where the models differ."""
        labels = np.array(self.models[0].labels)
        first = np.argmax(self.models[0].predict(inputs), axis=1)
        for other in self.models[1:]:
            # Models may number the same labels differently, so names are compared.
            answers = np.array(other.labels)[np.argmax(other.predict(inputs), axis=1)]
            first = np.where(answers == labels[first], first, -1)
        return np.asarray(first, dtype=np.int64)
