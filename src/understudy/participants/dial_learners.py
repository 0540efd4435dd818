"""People who learn what dials do, and one who knows."""

from typing import NamedTuple

import numpy as np
from pydantic import Field

from understudy.participants.dial_hand import MAX_VISITS, Hand, gives_up, pause, reach, turn
from understudy.participants.dial_page import SLACK, DialPage
from understudy.participants.dial_people import DialPerson, noise_share, visual_mismatch
from understudy.registry import register
from understudy.roles import Floats, Rng
from understudy.schema import Impression

N_POSITIONS = 9
"""Positions of a dial at which its effect is remembered."""


class Memory:
    """The average effect of each dial on the picture, at each of its positions."""

    def __init__(self, page: DialPage) -> None:
        self.page = page
        self.positions = [self._positions(dial) for dial in range(len(page.dials))]
        self.n_seen = [0] * len(page.dials)
        self._effects = [np.zeros((len(values), len(page.target))) for values in self.positions]

    def _positions(self, dial: int) -> Floats:
        spec = self.page.dials[dial]
        if spec.kind == "discrete":
            return np.arange(spec.n_inputs, dtype=np.float64)
        return np.linspace(spec.low, spec.high, N_POSITIONS)

    def take(self, code: Floats, dial: int) -> None:
        """Remember the effect of one movement through a dial, averaged with earlier ones."""
        shown = self.page.look(self.page.codes_along(code, dial, self.positions[dial])).outputs
        gains = shown - shown.mean(axis=0)
        self.n_seen[dial] += 1
        # A running mean, so that earlier pictures need not be stored.
        self._effects[dial] += (gains - self._effects[dial]) / self.n_seen[dial]

    def expected(self, hand: Hand, dial: int) -> Floats:
        """Return the pictures expected at each position of a dial, by its average effect."""
        effects, positions = self._effects[dial], self.positions[dial]
        here = hand.value(dial)
        if self.page.dials[dial].kind == "discrete":
            now = effects[int(here)]
        else:
            # Between two positions, the effect is interpolated linearly.
            after = int(np.clip(np.searchsorted(positions, here), 1, len(positions) - 1))
            share = (here - positions[after - 1]) / (positions[after] - positions[after - 1])
            now = (1 - share) * effects[after - 1] + share * effects[after]
        result: Floats = hand.output + effects - now
        return result


@register("participants", "dial_learner")
class DialLearner(DialPerson):
    """Keeps a noisy estimate of what each dial does, which improves with use, and applies it before tuning by eye."""

    noise: float = Field(default=0.1, ge=0)
    """Standard deviation of each impression of a difference, in units of the target's contrast."""
    memory_noise: float = Field(default=0.5, ge=0)
    """The same for an expected picture after one use of its dial; it falls with the square root of the uses."""
    uses_per_question: float = Field(default=1.0, ge=0)
    """How often each dial is used in a question; memories of earlier questions are redrawn at that rate."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Turn dials by their remembered effects."""
        memory = self._recall(hand.page, impression.n_in_stage, rng)
        return self._work(hand, memory, self.noise * noise_share(impression, hand.page), rng)

    def _recall(self, page: DialPage, n_before: int, rng: Rng) -> Memory:
        """Draw what earlier questions of this stage have taught: movements from random settings."""
        memory = Memory(page)
        for dial in range(len(page.dials)):
            for _ in range(int(rng.poisson(self.uses_per_question * n_before))):
                memory.take(_random_code(page, rng), dial)
        return memory

    def _work(self, hand: Hand, memory: Memory, noise: float, rng: Rng) -> bool | None:
        mismatch = visual_mismatch(hand.page, noise, rng)
        pause(hand, 2 * self.habits.think_ms, rng)
        last = -1
        for _ in range(MAX_VISITS):
            pause(hand, self.habits.think_ms, rng)
            dial, value = self._choose(hand, memory, last, rng)
            if value is not None:
                reach(hand, dial, value, self.habits, rng)
            if not hand.is_solved:
                explores = value is None and rng.random() < self.habits.explores
                turn(hand, dial, mismatch, self.habits, rng, margin=np.inf if explores else noise)
            # Whatever the visit brought, the person has now seen once more what the dial does.
            memory.take(hand.code, dial)
            last = dial
            if hand.is_solved:
                return True
            if gives_up(hand, self.habits, rng):
                return False
        return False if hand.is_offered else None

    def _choose(self, hand: Hand, memory: Memory, last: int, rng: Rng) -> tuple[int, float | None]:
        """Choose an unused dial, or the one with the best expected match, and its new position."""
        others = [dial for dial in range(len(hand.page.dials)) if dial != last or len(hand.page.dials) == 1]
        unknown = [dial for dial in others if memory.n_seen[dial] == 0]
        if unknown:
            return unknown[0], None
        promises = []
        for dial in others:
            expected = hand.page.differences(memory.expected(hand, dial))
            noise = self.memory_noise / np.sqrt(memory.n_seen[dial])
            felt = expected + noise * rng.standard_normal(len(expected))
            promises.append((float(felt.min()), dial, float(memory.positions[dial][felt.argmin()])))
        _, dial, value = min(promises)
        return dial, value


def _random_code(page: DialPage, rng: Rng) -> Floats:
    code = page.start.copy()
    for dial, spec in enumerate(page.dials):
        value = rng.integers(spec.n_inputs) if spec.kind == "discrete" else rng.uniform(spec.low, spec.high)
        code = page.codes_along(code, dial, np.array([float(value)]))[0]
    return code


# The oracle: knows what every dial does everywhere, and moves each one once to where it belongs.
#
# It is not a model of people but an upper limit: what a question allows somebody with full understanding, at human speed.
# It never sees the target's setting; it searches for one whose picture matches, and turns nothing meanwhile.

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
