"""Counterfactuals: cases beside edited versions of them, of which half keep the model's prediction."""

from typing import Any, Literal

import numpy as np
from pydantic import Field

from understudy.datasets.cases.edit_search import CodeEditor, Search, SentenceEditor, Slot
from understudy.errors import MaterialsError
from understudy.registry import create, entry, register
from understudy.roles import Dataset, Floats, Model, Rng, Sample, Variables, Vocabulary
from understudy.schema import DatasetRef, ModelRef, Record, Ref
from understudy.sources.cases import content_from_row
from understudy.sources.edits.plausibility import CodeOdds, WordOdds
from understudy.sources.edits.words import words_for
from understudy.sources.legends import require_same_legend

N_BACKGROUND = 5000
"""Training cases by which plausibility is judged."""


@register("datasets", "counterfactuals")
class Counterfactuals(Record):
    """Draws cases of another dataset with an edited version of each; half of the edits keep the model's prediction.

    A case for which no edit of the wanted kind is found is left out, and the next one takes its place. Inputs, and so
    explanations, are those of the original.
    """

    source: DatasetRef
    """The dataset whose cases are edited."""
    model: ModelRef
    """The model whose prediction is kept or changed."""
    also_model: ModelRef | None = None
    """A second model that must agree with the first, on the case and on its edited version."""
    edit_counts: Literal["matched", "paper"] = "matched"
    """`matched` gives kept and changed predictions the same numbers of edits; `paper` draws them as published, so that
    many edits betray a change."""
    max_edits: int = Field(default=3, ge=1)
    """At most so many; in `paper` mode, for sentences, five as published."""
    n_tries: int = Field(default=1000, ge=1)
    """Edited versions that are tried for a case."""
    n_similar: int = Field(default=100, ge=1)
    """Words among which the one to put in is chosen."""
    change_probability: float | None = Field(default=None, gt=0, le=1)
    """How likely each word is changed in `paper` mode; 0.25 falling to 0.10 for long sentences when absent."""
    temperature: float = Field(default=0.4, gt=0)
    """High makes less similar words likelier."""
    min_plausibility: float = Field(default=0.0, ge=0, le=1)
    """Edits that are less likely beside what they replace are not used."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n pairs of a case and its edited version."""
        seed, search_seed = (int(one) for one in rng.integers(2**62, size=2))
        source: Dataset = create("datasets", self.source)
        model: Model = create("models", self.model)
        also: Model | None = create("models", self.also_model) if self.also_model else None
        n_pool = max(64, 2 * n)
        while True:
            sample = source.draw(n_pool, np.random.default_rng(seed))
            inputs, legend = self._read(sample)
            for one in [model] if also is None else [model, also]:
                require_same_legend(one, legend, of=f"dataset {self.source.name!r} has")
            search = self._search(model, also, inputs, legend, np.random.default_rng(search_seed))
            found = search.found(inputs, self._slots(n, legend))
            if len(found) == n or len(inputs) < n_pool:
                return _pairs(sample, (inputs, legend), found, search)
            n_pool *= 4

    def _read(self, sample: Sample) -> tuple[Floats, Variables | Vocabulary]:
        if sample.inputs is None or sample.legend is None:
            raise MaterialsError(
                f"Dataset {self.source.name!r} cannot be edited: its cases are neither codes nor words. "
                "Name one such as income_cases, review_lines, adult or rt_polarity."
            )
        return sample.inputs, sample.legend

    def _slots(self, n: int, legend: Variables | Vocabulary) -> list[Slot]:
        """Return what is wanted: kept and changed in turn, and the same numbers of edits for both."""
        counts = [1 + (place // 2) % self.max_edits for place in range(n)]
        is_free = self.edit_counts == "paper" and isinstance(legend, Vocabulary)
        if self.edit_counts == "paper":
            return [Slot(place % 2 == 0, None if is_free else self.max_edits, is_exact=False) for place in range(n)]
        return [Slot(place % 2 == 0, count, is_exact=True) for place, count in enumerate(counts)]

    def _search(
        self, model: Model, also: Model | None, inputs: Floats, legend: Variables | Vocabulary, rng: Rng
    ) -> Search:
        background = self._background(inputs)
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
        """Return training cases of the source, or the cases themselves where it has no parts."""
        if "split" not in entry("datasets", self.source.name).model_fields:
            return inputs
        whole: Dataset = create("datasets", Ref(name=self.source.name, params={**self.source.params, "split": "train"}))
        drawn = whole.draw(N_BACKGROUND, np.random.default_rng(0)).inputs
        return inputs if drawn is None else drawn


def _pairs(sample: Sample, read: tuple[Floats, Variables | Vocabulary], found: list[Any], search: Search) -> Sample:
    inputs, legend = read
    places = [one.place for one in found]
    labels = search.models[0].labels
    return Sample(
        contents=[
            {
                "original": content_from_row(inputs[one.place], legend),
                "edited": content_from_row(one.edited, legend),
            }
            for one in found
        ],
        attributes={
            **{name: [values[place] for place in places] for name, values in sample.attributes.items()},
            "edited_prediction": [labels[one.prediction] for one in found],
            "keeps": ["same" if one.keeps else "changed" for one in found],
            "n_edits": [int((one.edited != inputs[one.place]).sum()) for one in found],
            "plausibility": [one.plausibility for one in found],
            "share_usable": [search.share_usable(len(found))] * len(found),
        },
        inputs=inputs[places] if places else inputs[:0],
        legend=legend,
    )
