"""Concepts made from a function of an object."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from understudy.errors import MaterialsError
from understudy.roles import Ints, Objects, Quadrant, Rng, Shown


@dataclass(frozen=True)
class ConceptFrom:
    """Shows unchanged objects, with the result of `about(one_object)` as the extra information."""

    about: Callable[[Objects], Objects]
    place: ClassVar[Quadrant] = "upper right"

    def show(self, objects: Objects, labels: Ints, rng: Rng) -> Shown:
        """Return the objects, and the function's value for each."""
        values = [np.asarray(self.about(item), dtype=np.float32) for item in objects]
        shapes = {value.shape for value in values}
        if len(shapes) != 1 or not all(np.isfinite(value).all() for value in values):
            raise MaterialsError(
                f"The concept returned values of {len(shapes)} shapes, or some that are not finite. It must return "
                "finite numbers of one shape for every object."
            )
        return Shown(objects, np.stack(values))
