"""Sentence polarity: positive and negative lines of film reviews."""

import os
from pathlib import Path
from typing import ClassVar

from understudy.datasets.cases.case_split import CaseSplit
from understudy.registry import register
from understudy.sources.cases import Cases, SplitRule
from understudy.sources.data_folder import data_folder
from understudy.sources.polarity import LABELS, polarity_cases


@register("datasets", "rt_polarity")
class RtPolarity(CaseSplit):
    """Draws sentences of one split, without replacement; words have GloVe vectors if the data folder has them."""

    split_rule: SplitRule = "leak_free"
    """`paper` drops what the published code could not read, and keeps duplicate sentences."""
    folder: str = ""
    """The folder with rt-polarity.pos and .neg; `rt-polarity` in the data folder by default."""
    vectors: str = ""
    """The folder with words.txt and glove_100d_f16.npz; `glove-100d` in the data folder by default."""
    labels: ClassVar[tuple[str, ...]] = LABELS

    def cases(self) -> Cases:
        """Return all sentences."""
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / "rt-polarity"
        vectors = Path(self.vectors) if self.vectors else data_folder(os.environ) / "glove-100d"
        return polarity_cases(folder, self.split_rule, vectors)
