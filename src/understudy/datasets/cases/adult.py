"""Adult: census records in twelve categories, labelled by whether the person earns more than 50,000 dollars."""

import os
from pathlib import Path
from typing import ClassVar

from understudy.datasets.cases.case_split import CaseSplit
from understudy.registry import register
from understudy.sources.adult import LABELS, adult_cases
from understudy.sources.cases import Cases, SplitRule
from understudy.sources.data_folder import data_folder


@register("datasets", "adult")
class Adult(CaseSplit):
    """Draws census records of one split, in the categories of Hase and Bansal (2020), without replacement."""

    split_rule: SplitRule = "leak_free"
    """`paper` reproduces the published cases; four in ten of its test records are training records too."""
    folder: str = ""
    """The folder with adult.data; `adult` in the data folder by default."""
    labels: ClassVar[tuple[str, ...]] = LABELS

    def cases(self) -> Cases:
        """Return all records."""
        folder = Path(self.folder) if self.folder else data_folder(os.environ) / "adult"
        return adult_cases(folder, self.split_rule)
