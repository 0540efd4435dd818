"""pandas, imported when a table is first made or read."""

from typing import TYPE_CHECKING

from understudy.deferred import Deferred

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Deferred("pandas")

__all__ = ["pd"]
