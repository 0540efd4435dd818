"""Counterfactuals: cases with edited versions, half of which keep the model's prediction."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
from pydantic import Field

from understudy.errors import MaterialsError
from understudy.registry import create, entry, register
from understudy.roles import Dataset, Floats, Ints, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import DatasetRef, ModelRef, Record, Ref
from understudy.sources.cases import content_from_row, require_same_legend
from understudy.sources.edits import (
    CodeOdds,
    WordOdds,
    WordTable,
    change_chance,
    choices_for,
    edited_codes,
    edited_texts,
    lowest,
)
from understudy.sources.words import words_for

# Edit search: find, for each wanted kind of edit, a case that has one, by drawing edits until one fits.
#
# The first fitting edit has the same distribution as a random choice among many fitting ones.

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


N_BACKGROUND = 5000
"""The number of training cases by which plausibility is judged."""


class EditableCases(NamedTuple):
    """Cases as a model reads them, with the meaning of their numbers."""

    inputs: Floats
    legend: Variables | Vocabulary


@register("datasets", "counterfactuals")
class Counterfactuals(Record):
    """Draws cases of another dataset with an edited version of each; half of the edits keep the model's prediction.

    A case without an edit of the wanted kind is skipped. Inputs, and therefore explanations, are those of the original.
    """

    source: DatasetRef
    """The dataset whose cases are edited."""
    model: ModelRef
    """The model whose prediction is kept or changed."""
    also_model: ModelRef | None = None
    """A second model that must agree with the first, on the case and on its edited version."""
    edit_counts: Literal["matched", "paper"] = "matched"
    """`matched` gives kept and changed predictions the same numbers of edits; `paper` draws them as published, where
    many edits give a change away."""
    max_edits: int = Field(default=3, ge=1, le=100)
    """The most edits; for sentences in `paper` mode, at most five, as published."""
    n_tries: int = Field(default=1000, ge=1, le=1_000_000)
    """Edited versions to try for each case."""
    n_similar: int = Field(default=100, ge=1, le=100_000)
    """The most similar words from which a replacement is chosen."""
    change_probability: float | None = Field(default=None, gt=0, le=1)
    """The chance that each word changes in `paper` mode; by default 0.25, falling to 0.10 for long sentences."""
    temperature: float = Field(default=0.4, gt=0)
    """High values make less similar words more likely."""
    min_plausibility: float = Field(default=0.0, ge=0, le=1)
    """Edits less plausible than this, compared with what they replace, are rejected."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pairs of a case and its edited version."""
        seed, search_seed = (int(seed) for seed in rng.integers(2**62, size=2))
        source: Dataset = create("datasets", self.source)
        model: Model = create("models", self.model)
        also: Model | None = create("models", self.also_model) if self.also_model else None
        n_pool = max(64, 2 * n)
        while True:
            # The same seed each time: a larger pool starts with the same cases.
            sample = source.draw(n_pool, np.random.default_rng(seed))
            cases = self._read(sample)
            for answering in [model] if also is None else [model, also]:
                require_same_legend(answering, cases.legend, of=f"dataset {self.source.name!r} has")
            search = self._search(model, also, cases, np.random.default_rng(search_seed))
            edits = search.edits_for(cases.inputs, self._slots(n, cases.legend))
            if len(edits) == n or len(cases.inputs) < n_pool:
                return _pairs(sample, cases, edits, search)
            n_pool *= 4

    def _read(self, sample: Sample) -> EditableCases:
        if sample.inputs is None or sample.legend is None:
            raise MaterialsError(
                f"Dataset {self.source.name!r} cannot be edited: its cases are neither codes nor words. "
                "Name one such as income_cases, review_lines, adult or rt_polarity."
            )
        return EditableCases(sample.inputs, sample.legend)

    def _slots(self, n: int, legend: Variables | Vocabulary) -> list[Slot]:
        """Return the wanted edits: kept and changed in turn, with the same numbers of edits for both."""
        counts = [1 + (index // 2) % self.max_edits for index in range(n)]
        is_free = self.edit_counts == "paper" and isinstance(legend, Vocabulary)
        if self.edit_counts == "paper":
            return [Slot(index % 2 == 0, None if is_free else self.max_edits, is_exact=False) for index in range(n)]
        return [Slot(index % 2 == 0, count, is_exact=True) for index, count in enumerate(counts)]

    def _search(self, model: Model, also: Model | None, cases: EditableCases, rng: Rng) -> Search:
        legend = cases.legend
        background = self._background(cases.inputs)
        editor: CodeEditor | SentenceEditor
        judge: CodeOdds | WordOdds
        if isinstance(legend, Variables):
            editor, judge = CodeEditor(legend), CodeOdds.from_rows(background, legend)
        else:
            words = words_for(model, legend, keeps_form=True)
            editor = SentenceEditor(words, self.n_similar, self.temperature, self.change_probability)
            judge = WordOdds.from_rows(background, len(legend.words))
        return Search(
            models=(model,) if also is None else (model, also),
            editor=editor,
            judge=judge,
            n_tries=self.n_tries,
            min_plausibility=self.min_plausibility,
            rng=rng,
        )

    def _background(self, inputs: Floats) -> Floats:
        """Return training cases of the source, or the cases themselves if it has no splits."""
        if "split" not in entry("datasets", self.source.name).model_fields:
            return inputs
        whole: Dataset = create("datasets", Ref(name=self.source.name, params={**self.source.params, "split": "train"}))
        # A fixed seed: plausibility must not depend on which cases are drawn.
        drawn = whole.draw(N_BACKGROUND, np.random.default_rng(0)).inputs
        return inputs if drawn is None else drawn


def _pairs(sample: Sample, cases: EditableCases, edits: list[FoundEdit], search: Search) -> Sample:
    inputs, legend = cases
    rows = [edit.row for edit in edits]
    labels = search.models[0].labels
    return Sample(
        contents=[
            {
                "original": content_from_row(inputs[edit.row], legend),
                "edited": content_from_row(edit.edited, legend),
            }
            for edit in edits
        ],
        attributes={
            **{name: [values[row] for row in rows] for name, values in sample.attributes.items()},
            "edited_prediction": [labels[edit.prediction] for edit in edits],
            "keeps": ["same" if edit.keeps else "changed" for edit in edits],
            "n_edits": [int((edit.edited != inputs[edit.row]).sum()) for edit in edits],
            "plausibility": [edit.plausibility for edit in edits],
            "share_usable": [search.share_usable(len(edits))] * len(edits),
        },
        inputs=inputs[rows] if rows else inputs[:0],
        legend=legend,
    )
