"""Imported explanations: those of a released study, parsed into the kinds of this package."""

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
    """The folder of master.csv and trials.csv; by default `simulatability-stimuli` inside the data folder."""

    def explain(self, model: Model, inputs: Floats, targets: Ints | None, rng: Rng) -> Explained:
        """Return the released explanation of each item."""
        if targets is not None:
            raise MaterialsError(
                "Released explanations exist only as their study showed them, not for a chosen class. "
                "Leave the targets out, or bind a method that computes explanations, such as lime."
            )
        stimuli = read_stimuli(stimuli_folder(self.folder, os.environ), self.domain)
        explanations = []
        for row in inputs[:, 0]:
            texts = stimuli.texts.get((self.method, int(row)))
            if texts is None:
                raise MaterialsError(
                    f"No {self.method} explanation was released for {self.domain} item {int(row)}: there are some for "
                    "learning and counterfactual items, and none for forward ones."
                )
            explanations.append(explanation_from_texts(texts, stimuli.items[int(row)], self.method))
        return Explained(explanations)
