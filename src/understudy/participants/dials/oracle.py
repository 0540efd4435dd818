"""The oracle: knows what every dial does everywhere, and moves each one once to where it belongs.

It is not a model of people but an upper limit: what a question allows somebody with full understanding, at human speed.
It never sees the target's setting; it searches for one whose picture matches, and turns nothing meanwhile.
"""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from understudy.participants.dials.habits import gives_up, pause, reach
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.page import SLACK, DialPage
from understudy.participants.dials.people import DialPerson
from understudy.registry import register
from understudy.roles import Floats, Rng
from understudy.schema import Impression

MAX_SEARCHES = 8
"""How often the search begins anew when what it found does not match: one that narrows too early misses small pictures."""
N_ROUNDS = 25
N_BEST = 0.15
"""Share of the settings of a round from which the next round is drawn."""
LEAST = 1e-3
"""The least spread of a round, so that the search does not stop early; a share of the dials' widths."""
MAX_TRIES = 10
"""How often the dials are set again when a hand that landed a little off missed the match."""


@register("participants", "dial_oracle")
class DialOracle(DialPerson):
    """Works out a setting that matches and moves each dial straight to it: an upper limit, not a person."""

    n_thoughts: int = Field(default=80, ge=10, le=100_000)
    """Settings that are imagined in each of 25 rounds of the search."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Set every dial once, and again where the hand missed."""
        positions = self._solution(hand.page, rng)
        for _ in range(MAX_TRIES):
            for dial in range(len(hand.page.dials)):
                if not hand.is_solved:
                    pause(hand, self.habits.think_ms, rng)
                    reach(hand, dial, float(positions[dial]), self.habits, rng)
            if hand.is_solved:
                return True
            pause(hand, self.habits.check_ms, rng)
            if gives_up(hand, self.habits, rng):
                return False
        if not hand.is_offered and np.isfinite(hand.page.skip_after_ms):
            hand.wait(hand.page.skip_after_ms)
        return False if hand.is_offered else None

    def _solution(self, page: DialPage, rng: Rng) -> Floats:
        """Return a setting that matches, or after several searches the one that came nearest."""
        found: list[_Found] = []
        while len(found) < MAX_SEARCHES and not (found and found[-1].is_match):
            found.append(self._searched(page, rng))
        return min(found, key=lambda setting: (not setting.is_match, setting.error)).positions

    def _searched(self, page: DialPage, rng: Rng) -> "_Found":
        """Return the setting that comes nearest to the target (cross-entropy method, Rubinstein 1999)."""
        search = _Search(page)
        best = _Found(search.middles, np.inf, is_match=False)
        for _ in range(N_ROUNDS):
            positions = search.drawn(self.n_thoughts, rng)
            frames = page.look(search.codes(positions))
            order = np.argsort(frames.errors)
            first = order[0]
            if frames.errors[first] < best.error:
                is_match = bool(frames.agreements[first] >= page.threshold - SLACK)
                best = _Found(positions[first], float(frames.errors[first]), is_match=is_match)
            search.narrow(positions[order[: max(int(N_BEST * self.n_thoughts), 2)]])
        return best


class _Found(NamedTuple):
    """What one search came to."""

    positions: Floats
    error: float
    is_match: bool


class _Search:
    """Where the settings of a round are drawn from: a normal for each slider, shares for each choice."""

    def __init__(self, page: DialPage) -> None:
        self._page = page
        lows = np.array([0.0 if dial.kind == "discrete" else dial.low for dial in page.dials])
        self._widths = np.array([dial.n_inputs - 1.0 if dial.kind == "discrete" else dial.width for dial in page.dials])
        self._lows, self.middles, self._spreads = lows, lows + self._widths / 2, self._widths / 2
        self._shares = {
            index: np.full(dial.n_inputs, 1 / dial.n_inputs)
            for index, dial in enumerate(page.dials)
            if dial.kind == "discrete"
        }

    def drawn(self, n: int, rng: Rng) -> Floats:
        drawn = self.middles + self._spreads * rng.standard_normal((n, len(self.middles)))
        positions: Floats = np.clip(drawn, self._lows, self._lows + self._widths)
        for index, shares in self._shares.items():
            positions[:, index] = rng.choice(len(shares), size=n, p=shares)
        return positions

    def codes(self, positions: Floats) -> Floats:
        codes = np.repeat(self._page.start[None], len(positions), axis=0)
        for row, wanted in zip(codes, positions, strict=True):
            for dial, value in enumerate(wanted):
                row[:] = self._page.codes_along(row, dial, np.array([value]))[0]
        return codes

    def narrow(self, best: Floats) -> None:
        self.middles = best.mean(axis=0)
        self._spreads = np.maximum(best.std(axis=0), LEAST * self._widths)
        for index, shares in self._shares.items():
            counts = np.bincount(best[:, index].astype(int), minlength=len(shares))
            # Every choice keeps a small chance, since an early round may have missed it.
            self._shares[index] = 0.9 * counts / counts.sum() + 0.1 / len(shares)
