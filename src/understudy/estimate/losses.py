"""Losses: how much was left out on the way to an outcome's rows, said in a sentence."""

from typing import NamedTuple

_WITHOUT = "Left out: {n} of {n_all} {unit} without {lacking}."


class Loss(NamedTuple):
    """How many of how many were left out, and for want of what; or, in other words, who counts with less."""

    n: int
    n_all: int
    unit: str
    lacking: str
    words: str = _WITHOUT

    @property
    def sentence(self) -> str:
        """The loss as a note."""
        return self.words.format(**self._asdict())
