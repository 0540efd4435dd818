"""Given: the rows for which an attribute is drawn, with what is known of them already."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from understudy.roles import Floats, Ints

CLASS = "class"
"""The name under which attributes depend on the class of a row."""


@dataclass(frozen=True)
class Given:
    """Rows whose class and earlier attributes are known."""

    class_names: tuple[str, ...]
    classes: Ints
    columns: Mapping[str, Floats]

    @property
    def n(self) -> int:
        """How many rows."""
        return len(self.classes)

    def rows(self, which: npt.NDArray[np.intp]) -> "Given":
        """Return some of the rows."""
        return Given(self.class_names, self.classes[which], {name: held[which] for name, held in self.columns.items()})

    def with_classes(self, classes: Ints) -> "Given":
        """Return the same rows with other classes."""
        return Given(self.class_names, classes, self.columns)

    def with_column(self, name: str, values: Floats) -> "Given":
        """Return the same rows with one more attribute."""
        return Given(self.class_names, self.classes, {**self.columns, name: values})
