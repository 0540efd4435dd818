"""Structural similarity of two pictures, over square windows that move pixel by pixel."""

import numpy as np
from pydantic import Field

from understudy.registry import register
from understudy.roles import Floats
from understudy.schema import Record


@register("distances", "ssim")
class StructuralSimilarity(Record):
    """The mean structural similarity over uniform windows, with negative values taken as no agreement."""

    shape: tuple[int, int]
    """Rows and columns of the pictures."""
    window: int = Field(default=7, ge=3)
    span: float = Field(default=1.0, gt=0)
    """The difference between white and black."""

    def agreement(self, shown: Floats, target: Floats) -> Floats:
        """Return the similarity of each row with the target."""
        ones, other = shown.reshape(-1, *self.shape), target.reshape(1, *self.shape)
        mean, mean_other = self._windowed(ones), self._windowed(other)
        variance = self._windowed(ones * ones) - mean**2
        variance_other = self._windowed(other * other) - mean_other**2
        shared = self._windowed(ones * other) - mean * mean_other
        first, second = (0.01 * self.span) ** 2, (0.03 * self.span) ** 2
        similar = (2 * mean * mean_other + first) * (2 * shared + second)
        scale = (mean**2 + mean_other**2 + first) * (variance + variance_other + second)
        result: Floats = np.clip((similar / scale).mean(axis=(1, 2)), 0, 1)
        return result.reshape(shown.shape[:-1])

    def _windowed(self, pictures: Floats) -> Floats:
        summed = np.zeros((pictures.shape[0], pictures.shape[1] + 1, pictures.shape[2] + 1))
        summed[:, 1:, 1:] = pictures.cumsum(axis=1).cumsum(axis=2)
        n = self.window
        means: Floats = (summed[:, n:, n:] - summed[:, :-n, n:] - summed[:, n:, :-n] + summed[:, :-n, :-n]) / n**2
        return means
