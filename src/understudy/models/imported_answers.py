"""Imported answers: a model known only by its recorded answers."""

import os

import numpy as np

from understudy.errors import MaterialsError
from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record
from understudy.sources.hase_stimuli import LABELS, Domain, read_stimuli, stimuli_folder


@register("models", "imported_answers")
class ImportedAnswers(Record):
    """Gives the answers that the model of Hase and Bansal (2020) gave to their items; inputs are rows of items."""

    domain: Domain
    folder: str = ""
    """The folder of master.csv and trials.csv; by default `simulatability-stimuli` inside the data folder."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The two classes."""
        return LABELS[self.domain]

    def predict(self, inputs: Floats) -> Floats:
        """Return probability 1 for the recorded answer, because no probabilities were released."""
        items = read_stimuli(stimuli_folder(self.folder, os.environ), self.domain).items
        if inputs.shape[1] != 1 or not np.isin(inputs, np.arange(len(items))).all():
            raise MaterialsError(
                "Imported answers exist only for the items of hase_stimuli. Bind that dataset, with the same domain."
            )
        answers = [self.labels.index(items[int(row)].prediction) for row in inputs[:, 0]]
        return np.eye(2)[answers].reshape(len(answers), 2)
