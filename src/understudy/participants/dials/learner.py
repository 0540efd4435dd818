"""The learner: remembers what each dial does to the picture, and moves it to where it should match."""

import numpy as np
from pydantic import Field

from understudy.participants.dials.habits import gives_up, pause, reach
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.page import DialPage
from understudy.participants.dials.people import DialPerson, noise_share, visual_mismatch
from understudy.participants.dials.turning import MAX_VISITS, turn
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
