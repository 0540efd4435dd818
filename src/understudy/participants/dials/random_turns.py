"""The random turner: moves random dials, and notices only whether the question is solved."""

from understudy.participants.dials.habits import gives_up, pause, steady_path
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.people import DialPerson
from understudy.participants.dials.turning import MAX_VISITS
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Impression


@register("participants", "dial_random")
class DialRandom(DialPerson):
    """Moves a random dial to a random position, again and again; solves a question only by chance."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Move random dials."""
        for _ in range(MAX_VISITS):
            pause(hand, self.habits.think_ms, rng)
            dial = int(rng.integers(len(hand.page.dials)))
            spec = hand.page.dials[dial]
            if spec.kind == "discrete":
                hand.drag(dial, rng.integers(spec.n_inputs, size=1).astype(float), frame_ms=self.habits.glance_ms)
            else:
                hand.drag(dial, steady_path(hand, dial, float(rng.uniform(spec.low, spec.high)), self.habits.pace_s))
            if hand.is_solved:
                return True
            pause(hand, self.habits.check_ms, rng)
            if gives_up(hand, self.habits, rng):
                return False
        return False if hand.is_offered else None
