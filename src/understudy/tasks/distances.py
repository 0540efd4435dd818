"""Distances between what a dial shows and the target: bands, overlaps and structure."""

from typing import Annotated

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record


@register("distances", "tolerance_band")
class ToleranceBand(Record):
    """The share of points less than a tolerance away from the target."""

    tolerance: float = Field(default=0.5, gt=0)

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the share for each row."""
        result: Floats = (abs(shown - target) < self.tolerance).mean(axis=-1)
        return result


# Overlaps of two pictures: the soft Dice coefficient and the Jaccard index.


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


# Structural similarity of two pictures (Wang et al. 2004), over square windows moved pixel by pixel.


@register("distances", "ssim")
class StructuralSimilarity(Record):
    """The mean structural similarity over uniform windows; negative values count as no agreement."""

    shape: tuple[Annotated[int, Field(ge=1, le=10_000)], Annotated[int, Field(ge=1, le=10_000)]]
    """Rows and columns of the pictures."""
    window: int = Field(default=7, ge=3, le=1001)
    span: float = Field(default=1.0, gt=0)
    """The difference between white and black."""

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the similarity of each row to the target."""
        pictures, other = shown.reshape(-1, *self.shape), target.reshape(1, *self.shape)
        mean, mean_other = self._windowed(pictures), self._windowed(other)
        variance = self._windowed(pictures * pictures) - mean**2
        variance_other = self._windowed(other * other) - mean_other**2
        covariance = self._windowed(pictures * other) - mean * mean_other
        # The stabilising constants of Wang et al. (2004), with K1 = 0.01 and K2 = 0.03.
        c_1, c_2 = (0.01 * self.span) ** 2, (0.03 * self.span) ** 2
        similar = (2 * mean * mean_other + c_1) * (2 * covariance + c_2)
        scale = (mean**2 + mean_other**2 + c_1) * (variance + variance_other + c_2)
        result: Floats = np.clip((similar / scale).mean(axis=(1, 2)), 0, 1)
        return result.reshape(shown.shape[:-1])

    def _windowed(self, pictures: Floats) -> Floats:
        summed = np.zeros((pictures.shape[0], pictures.shape[1] + 1, pictures.shape[2] + 1))
        # A summed-area table: each window's sum takes four look-ups, whatever its size.
        summed[:, 1:, 1:] = pictures.cumsum(axis=1).cumsum(axis=2)
        n = self.window
        means: Floats = (summed[:, n:, n:] - summed[:, :-n, n:] - summed[:, n:, :-n] + summed[:, :-n, :-n]) / n**2
        return means
