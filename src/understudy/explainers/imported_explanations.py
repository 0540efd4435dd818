"""Imported explanations: what a method said in a released study, parsed into our own kinds."""

import os
from collections.abc import Sequence
from typing import ClassVar

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Floats, Model, Rng
from understudy.schema import Explanation, Record
from understudy.sources.hase_stimuli import Domain, Method, explanation_from_texts, read_stimuli, stimuli_folder


@register("explainers", "imported_explanations")
class ImportedExplanations(Record):
    """Gives the explanations that Hase and Bansal (2020) showed; inputs are rows of the dataset hase_stimuli."""

    kind: ClassVar[str] = "imported"
    """Each method has a kind of its own."""
    domain: Domain
    method: Method
    """Omission was generated, but never reported."""
    folder: str = ""
    """Where master.csv and trials.csv lie; `simulatability-stimuli` inside the data folder when absent."""

    def explain(self, model: Model, inputs: Floats, rng: Rng) -> Sequence[Explanation]:
        """Return the released explanation of each item."""
        stimuli = read_stimuli(stimuli_folder(self.folder, os.environ), self.domain)
        said = []
        for row in inputs[:, 0]:
            texts = stimuli.texts.get((self.method, int(row)))
            if texts is None:
                raise MaterialsError(
                    f"No {self.method} explanation was released for {self.domain} item {int(row)}: there are some for "
                    "learning and counterfactual items, and none for forward ones."
                )
            said.append(explanation_from_texts(texts, stimuli.items[int(row)], self.method))
        return said
