"""Regimes: the ranges of a dial that people name (low, medium, high), or its options."""

from typing import NamedTuple

import numpy as np

from understudy.roles import Floats, Rng
from understudy.schema import DecoderCard

BANDS: dict[str, tuple[int, int]] = {"low": (1, 5), "medium": (48, 52), "high": (95, 99)}
"""Regime -> the percentiles of the dial that bound it."""


class Regimes(NamedTuple):
    """The regimes of one dial, in order."""

    names: tuple[str, ...]
    offset: int
    """The index in a code where the dial's numbers begin."""
    bands: Floats | None
    """One row per regime with its lowest and highest value; None for a dial with options."""

    @property
    def n(self) -> int:
        """Return the number of regimes."""
        return len(self.names)

    def put(self, codes: Floats, regime: int, rng: Rng) -> Floats:
        """Return the codes with the dial drawn from one regime, and the other dials unchanged."""
        if self.bands is None:
            return self._chosen(codes, regime)
        return self.at(codes, self.values(regime, len(codes), rng))

    def values(self, regime: int, n: int, rng: Rng) -> Floats:
        """Draw n values of a dial without options from one of its regimes."""
        if self.bands is None:
            raise AssertionError("a dial with options has no values in between")
        low, high = (float(end) for end in self.bands[regime])
        return rng.uniform(low, high, size=n)

    def middle(self, codes: Floats, regime: int) -> Floats:
        """Return the codes with the dial in the middle of one regime."""
        if self.bands is None:
            return self._chosen(codes, regime)
        return self.at(codes, np.full(len(codes), float(np.mean(self.bands[regime]))))

    def at(self, codes: Floats, values: Floats) -> Floats:
        """Return the codes with the dial at these values."""
        moved = codes.copy()
        moved[:, self.offset] = values
        return moved

    def _chosen(self, codes: Floats, option: int) -> Floats:
        moved = codes.copy()
        moved[:, self.offset : self.offset + self.n] = np.eye(self.n)[option]
        return moved


def regimes_of(card: DecoderCard) -> tuple[Regimes, ...]:
    """Return the regimes of every dial of a card."""
    regimes: list[Regimes] = []
    offset = 0
    for dial in card.dials:
        if dial.kind == "discrete":
            names = tuple(f"option {k}" for k in range(1, dial.n_inputs + 1))
            regimes.append(Regimes(names, offset, None))
        else:
            bands = [[_percentile(card, percent, offset) for percent in band] for band in BANDS.values()]
            # Percentiles of a few codes may lie outside the range of the slider.
            inside: Floats = np.clip(np.asarray(bands, dtype=np.float64), dial.low, dial.high)
            regimes.append(Regimes(tuple(BANDS), offset, inside))
        offset += dial.n_inputs
    return tuple(regimes)


def _percentile(card: DecoderCard, percent: int, offset: int) -> float:
    """Read a percentile from the card, from its codes, or, without any, from the range of the dial."""
    if str(percent) in card.percentiles:
        return card.percentiles[str(percent)][offset]
    if card.codes:
        return float(np.percentile([code[offset] for code in card.codes], percent))
    before = 0
    for dial in card.dials:
        if before == offset:
            return dial.low + dial.width * percent / 100
        before += dial.n_inputs
    raise AssertionError(f"no dial begins at index {offset} of a code")
