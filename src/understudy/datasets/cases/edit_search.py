"""Edit search: for each wanted kind of edit a case for which it exists, found by drawing edits until one fits.

Drawing until the first edit that fits chooses among all fitting ones as drawing many and choosing one at random would.
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
"""Most words that the published procedure changes, where it draws them one by one."""
N_FIRST = 8
"""Edits of a case that are tried at first; each round tries four times as many."""


class Slot(NamedTuple):
    """What one pair is wanted for."""

    keeps: bool
    """Whether the edited version gets the prediction of the original."""
    n_edits: int | None
    """How many edits; any number up to it where it need not be exact; None where each word has its probability."""
    is_exact: bool


class FoundEdit(NamedTuple):
    """One pair."""

    place: int
    """Of the original among the inputs."""
    edited: Floats
    prediction: int
    keeps: bool
    plausibility: float


class Editor(Protocol):
    """Makes edited versions of one case."""

    def versions(self, row: Floats, n: int, slot: Slot, rng: Rng) -> Floats:
        """Return n versions; those that equal the case do not count."""


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
    """How likely each word changes where their number is free; that of the published procedure when absent."""

    def versions(self, row: Floats, n: int, slot: Slot, rng: Rng) -> Floats:
        """Return n versions of a sentence; too few exchangeable words, or too many edits at once, make none."""
        ids = row.astype(np.int64)
        choices = choices_for(ids, self.words, n_choices=self.n_choices, temperature=self.temperature)
        n_places = len(choices.places)
        if n_places < (slot.n_edits or 1):
            return np.tile(row, (n, 1))
        keys = rng.random((n, n_places))
        likely = change_chance(int((row >= 0).sum())) if self.probability is None else self.probability
        changes = keys < likely if slot.n_edits is None else lowest(keys, slot.n_edits)
        made = edited_texts(row, choices, changes, rng.random((n_places, n))[changes.T])
        is_over = changes.sum(axis=1) > MAX_WORDS
        return np.where(is_over[:, None] & (slot.n_edits is None), row, made)


@dataclass(frozen=True)
class Search:
    """The search for pairs, with what decides whether an edit fits."""

    models: tuple[Model, ...]
    """The one whose prediction counts, then those that must agree with it."""
    editor: Editor
    judge: CodeOdds | WordOdds
    n_tries: int
    min_plausibility: float
    rng: Rng
    _looked_at: list[int] = field(default_factory=list)

    def found(self, inputs: Floats, slots: list[Slot]) -> list[FoundEdit]:
        """Return one pair for each slot, in random order, as far as there are cases."""
        predictions = self._predictions(inputs)
        queue = [int(one) for one in np.flatnonzero(predictions >= 0)]
        n_unusable = int((predictions < 0).sum())
        pairs: dict[int, FoundEdit] = {}
        waiting = list(range(len(slots)))
        n_used = 0
        while waiting and n_used < len(queue):
            places = queue[n_used : n_used + len(waiting)]
            n_used += len(places)
            asked = waiting[: len(places)]
            pairs |= self._tried(inputs, predictions, dict(zip(asked, places, strict=True)), slots)
            waiting = [one for one in waiting if one not in pairs]
        share = n_used / max(len(queue), 1)
        self._looked_at.append(n_used + round(n_unusable * share))
        # Slots come in turn; in their order the answers could be guessed from their places.
        return [pairs[sorted(pairs)[int(one)]] for one in self.rng.permutation(len(pairs))]

    def share_usable(self, n_found: int) -> float:
        """Return the share of the cases looked at that became pairs."""
        return round(n_found / max(self._looked_at[-1], 1), 4)

    def _tried(
        self, inputs: Floats, predictions: Ints, asked: dict[int, int], slots: list[Slot]
    ) -> dict[int, FoundEdit]:
        """Try edits for all cases at once, more of them for those that have none yet."""
        pairs: dict[int, FoundEdit] = {}
        n_done, n_now = 0, min(N_FIRST, self.n_tries)
        while n_now and len(pairs) < len(asked):
            left = [slot for slot in asked if slot not in pairs]
            versions = [self.editor.versions(inputs[asked[one]], n_now, slots[one], self.rng) for one in left]
            answers = self._predictions(np.concatenate(versions)).reshape(len(left), n_now)
            for number, slot in enumerate(left):
                place = asked[slot]
                wanted = answers[number] >= 0
                wanted &= (answers[number] == predictions[place]) == slots[slot].keeps
                wanted &= (versions[number] != inputs[place]).any(axis=1)
                fitting = self._first(inputs[place], versions[number], np.flatnonzero(wanted))
                if fitting is not None:
                    row, plausibility = versions[number][fitting], self._plausibility
                    pairs[slot] = FoundEdit(
                        place, row, int(answers[number][fitting]), slots[slot].keeps, plausibility(inputs[place], row)
                    )
            n_done += n_now
            n_now = min(4 * n_now, self.n_tries - n_done)
        return pairs

    def _first(self, original: Floats, versions: Floats, places: Ints) -> int | None:
        """Return the first of these versions that is plausible enough."""
        for place in places:
            if self.min_plausibility == 0 or self._plausibility(original, versions[place]) >= self.min_plausibility:
                return int(place)
        return None

    def _plausibility(self, original: Floats, edited: Floats) -> float:
        return float(self.judge.plausibility(original[None], edited[None])[0])

    def _predictions(self, inputs: Floats) -> Ints:
        """Return the prediction for each input, -1 where the models differ."""
        labels = np.array(self.models[0].labels)
        first = np.argmax(self.models[0].predict(inputs), axis=1)
        for other in self.models[1:]:
            said = np.array(other.labels)[np.argmax(other.predict(inputs), axis=1)]
            first = np.where(said == labels[first], first, -1)
        return np.asarray(first, dtype=np.int64)
