"""Losses: how much was left out on the way to an outcome's rows, as a sentence."""

from typing import NamedTuple

_WITHOUT = "Left out: {n} of {n_all} {unit} without {lacking}."


class Loss(NamedTuple):
    """How many of how many were left out, and what they lack; `words` can say it another way."""

    n: int
    n_all: int
    unit: str
    lacking: str
    words: str = _WITHOUT

    @property
    def sentence(self) -> str:
        """Return the loss as a note."""
        return self.words.format(**self._asdict())
