"""Counterfactuals: cases with edited versions, half of which keep the model's prediction."""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from understudy.datasets.cases.edit_search import CodeEditor, FoundEdit, Search, SentenceEditor, Slot
from understudy.errors import MaterialsError
from understudy.registry import create, entry, register
from understudy.roles import Dataset, Floats, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import DatasetRef, ModelRef, Record, Ref
from understudy.sources.cases import content_from_row
from understudy.sources.edits.plausibility import CodeOdds, WordOdds
from understudy.sources.edits.words import words_for
from understudy.sources.legends import require_same_legend

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
