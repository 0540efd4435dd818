"""Sentence polarity: lines of film reviews, for or against."""

import os
from pathlib import Path
from typing import ClassVar

from understudy.registry import register
from understudy.roles import Rng, Sample
from understudy.schema import Record
from understudy.sources.case_draws import drawn_cases
from understudy.sources.cases import SplitName, SplitRule
from understudy.sources.data_folder import data_folder
from understudy.sources.polarity import LABELS, polarity_cases


@register("datasets", "rt_polarity")
class RtPolarity(Record):
    """Draws sentences of one part, without replacement; words have GloVe vectors where the data folder has them."""

    split: SplitName = "test"
    split_rule: SplitRule = "leak_free"
    """`paper` leaves out what the published code could not read, and keeps sentences that occur twice."""
    folder: str = ""
    """Where rt-polarity.pos and .neg lie; the folder `rt-polarity` of the data folder when absent."""
    vectors: str = ""
    """Where words.txt and glove_100d_f16.npz lie; the folder `glove-100d` of the data folder when absent."""
    labels: ClassVar[tuple[str, ...]] = LABELS

    def draw(self, n: int, rng: Rng) -> Sample:
        """Return n sentences with their labels."""
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / "rt-polarity"
        vectors = Path(self.vectors) if self.vectors else data_folder(os.environ) / "glove-100d"
        return drawn_cases(polarity_cases(folder, self.split_rule, vectors), self.split, n, rng)
