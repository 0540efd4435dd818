"""Overlaps of two pictures: the soft Dice coefficient and the Jaccard index."""

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record


@register("distances", "soft_dice")
class SoftDice(Record):
    """One minus the summed absolute difference over the summed values; the Dice coefficient for black and white."""

    floor: float = Field(default=0.01, gt=0)
    """Added to the denominator, so that two empty pictures agree."""

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the soft Dice agreement of each row with the target."""
        differing = np.abs(shown - target).sum(axis=-1)
        result: Floats = 1 - differing / (self.floor + np.abs(shown).sum(axis=-1) + np.abs(target).sum(axis=-1))
        return result


@register("distances", "binary_jaccard")
class BinaryJaccard(Record):
    """Pixels on in both pictures over pixels on in either; a pixel is on from the threshold up."""

    threshold: float = 0.5

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the Jaccard index of each row with the target; two empty pictures agree."""
        is_on, is_wanted = shown >= self.threshold, target >= self.threshold
        either = (is_on | is_wanted).sum(axis=-1)
        both = (is_on & is_wanted).sum(axis=-1)
        # Where both pictures are empty, the denominator is kept above zero and np.where picks 1.
        result: Floats = np.where(either == 0, 1.0, both / np.maximum(either, 1))
        return result
