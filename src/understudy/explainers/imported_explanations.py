"""Imported explanations: what a method said in a released study, parsed into our own kinds."""

import os
from typing import ClassVar

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Explained, Floats, Ints, Model, Rng
from understudy.schema import Record
from understudy.sources.hase_stimuli import Domain, Method, explanation_from_texts, read_stimuli, stimuli_folder


@register("explainers", "imported_explanations")
class ImportedExplanations(Record):
    """Gives the explanations that Hase and Bansal (2020) showed; inputs are rows of the dataset hase_stimuli."""

    kinds: ClassVar[frozenset[str]] = frozenset(
        {"attribution", "path", "rule", "several", "similar_case", "token_attribution"}
    )
    domain: Domain
    method: Method
    """Omission was generated, but never reported."""
    folder: str = ""
    """Where master.csv and trials.csv lie; `simulatability-stimuli` inside the data folder when absent."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the released explanation of each item."""
        if targets is not None:
            raise MaterialsError(
                "Released explanations are as their study showed them, and cannot be asked for a class. "
                "Leave the targets out, or bind a method that computes explanations, such as lime."
            )
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
        return Explained(said)
