"""The learner: remembers what each dial did to the picture, and goes straight to where it should match."""

import numpy as np
from pydantic import Field

from understudy.participants.dials.habits import gives_up, pause, reach
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.page import DialPage
from understudy.participants.dials.people import DialPerson, by_eye, noise_share
from understudy.participants.dials.turning import MAX_VISITS, turn
from understudy.registry import register
from understudy.roles import Floats, Rng
from understudy.schema import Impression

N_PLACES = 9
"""At so many places of a dial its effect is remembered."""


class Memory:
    """The average effect of each dial over the movements seen: what the picture gains at each of its places."""

    def __init__(self, page: DialPage) -> None:
        self.page = page
        self.places = [self._places(dial) for dial in range(len(page.dials))]
        self.n_seen = [0] * len(page.dials)
        self._effects = [np.zeros((len(values), len(page.target))) for values in self.places]

    def _places(self, dial: int) -> Floats:
        one = self.page.dials[dial]
        if one.kind == "discrete":
            return np.arange(one.n_inputs, dtype=np.float64)
        return np.linspace(one.low, one.high, N_PLACES)

    def take(self, code: Floats, dial: int) -> None:
        """Remember what one movement through a dial showed, on average with the earlier ones."""
        shown = self.page.look(self.page.codes_along(code, dial, self.places[dial])).outputs
        gains = shown - shown.mean(axis=0)
        self.n_seen[dial] += 1
        self._effects[dial] += (gains - self._effects[dial]) / self.n_seen[dial]

    def expected(self, hand: Hand, dial: int) -> Floats:
        """Return the pictures expected at each place of a dial, if it does what it did on average."""
        effects, places = self._effects[dial], self.places[dial]
        here = hand.value(dial)
        if self.page.dials[dial].kind == "discrete":
            now = effects[int(here)]
        else:
            after = int(np.clip(np.searchsorted(places, here), 1, len(places) - 1))
            share = (here - places[after - 1]) / (places[after] - places[after - 1])
            now = (1 - share) * effects[after - 1] + share * effects[after]
        result: Floats = hand.output + effects - now
        return result


@register("participants", "dial_learner")
class DialLearner(DialPerson):
    """Keeps a noisy estimate of what each dial does, which improves with use, and acts on it before tuning by eye."""

    noise: float = Field(default=0.1, ge=0)
    """Standard deviation of each impression of a difference, in units of the target's contrast."""
    memory_noise: float = Field(default=0.5, ge=0)
    """The same for an expected picture after one use of its dial; it falls with the square root of uses."""
    uses_per_question: float = Field(default=1.0, ge=0)
    """How often each dial is used in a question. Memories of earlier questions are drawn anew at that rate."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Go by what the dials have done before."""
        memory = self._recalled(hand.page, impression.n_in_stage, rng)
        return self._work(hand, memory, self.noise * noise_share(impression, hand.page), rng)

    def _recalled(self, page: DialPage, n_before: int, rng: Rng) -> Memory:
        """Draw what earlier questions of this stage have taught: movements from settings anywhere in range."""
        memory = Memory(page)
        for dial in range(len(page.dials)):
            for _ in range(int(rng.poisson(self.uses_per_question * n_before))):
                memory.take(_anywhere(page, rng), dial)
        return memory

    def _work(self, hand: Hand, memory: Memory, noise: float, rng: Rng) -> bool | None:
        badness = by_eye(hand.page, noise, rng)
        pause(hand, 2 * self.habits.think_ms, rng)
        last = -1
        for _ in range(MAX_VISITS):
            pause(hand, self.habits.think_ms, rng)
            dial, value = self._chosen(hand, memory, last, rng)
            if value is not None:
                reach(hand, dial, value, self.habits, rng)
            if not hand.is_solved:
                explores = value is None and rng.random() < self.habits.explores
                turn(hand, dial, badness, self.habits, rng, margin=np.inf if explores else noise)
            memory.take(hand.code, dial)
            last = dial
            if hand.is_solved:
                return True
            if gives_up(hand, self.habits, rng):
                return False
        return False if hand.is_offered else None

    def _chosen(self, hand: Hand, memory: Memory, last: int, rng: Rng) -> tuple[int, float | None]:
        """Choose a dial never used, or the one that promises the best match, and where to put it."""
        others = [dial for dial in range(len(hand.page.dials)) if dial != last or len(hand.page.dials) == 1]
        unknown = [dial for dial in others if memory.n_seen[dial] == 0]
        if unknown:
            return unknown[0], None
        promises = []
        for dial in others:
            expected = hand.page.differences(memory.expected(hand, dial))
            noise = self.memory_noise / np.sqrt(memory.n_seen[dial])
            felt = expected + noise * rng.standard_normal(len(expected))
            promises.append((float(felt.min()), dial, float(memory.places[dial][felt.argmin()])))
        _, dial, value = min(promises)
        return dial, value


def _anywhere(page: DialPage, rng: Rng) -> Floats:
    code = page.start.copy()
    for dial, one in enumerate(page.dials):
        value = rng.integers(one.n_inputs) if one.kind == "discrete" else rng.uniform(one.low, one.high)
        code = page.codes_along(code, dial, np.array([float(value)]))[0]
    return code
