"""The items of Hase and Bansal (2020), read from their released sheets."""

import os
from typing import Literal

import numpy as np
from pydantic import JsonValue

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.hase_stimuli import Domain, Item, read_stimuli, refuse_validity, stimuli_folder


@register("datasets", "hase_stimuli")
class HaseStimuli(Record):
    """Draws the cases that the original participants saw, each identified by its row number, its only input."""

    domain: Domain
    part: Literal["learning", "forward", "counterfactual", "validity"] = "forward"
    """Validity sheets were released too, but are rejected because they are misaligned."""
    folder: str = ""
    """The folder with master.csv and trials.csv; `simulatability-stimuli` in the data folder by default."""

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n cases in random order, without replacement."""
        folder = stimuli_folder(self.folder, os.environ)
        if self.part == "validity":
            refuse_validity(folder)
            raise AssertionError("validity sheets are never drawn from")
        items = read_stimuli(folder, self.domain).of(self.part)
        drawn = [items[int(index)] for index in rng.permutation(len(items))[:n]]
        attributes: dict[str, list[str | int]] = {
            "label": [item.label for item in drawn],
            "prediction": [item.prediction for item in drawn],
        }
        if self.part == "counterfactual":
            attributes |= _edited(drawn)
        return Sample(
            contents=[dict[str, JsonValue](item.content) for item in drawn],
            attributes=attributes,
            inputs=np.array([[item.row] for item in drawn], dtype=np.float64).reshape(len(drawn), 1),
        )


def _edited(drawn: list[Item]) -> dict[str, list[str | int]]:
    edits = [item.edit for item in drawn if item.edit is not None]
    return {
        "edited_prediction": [edit.prediction for edit in edits],
        "keeps": ["same" if item.keeps else "changed" for item in drawn],
        "n_edits": [edit.n_edits for edit in edits],
    }
