"""The random turner: moves any dial anywhere, and looks only whether the page says that it is solved."""

from understudy.participants.dial_habits import Habits, gives_up, pause, way_across
from understudy.participants.dial_hand import Hand
from understudy.participants.dial_page import DialPage
from understudy.participants.dial_people import dial_reaction, others_answered
from understudy.participants.dial_turning import MAX_VISITS
from understudy.registry import register
from understudy.roles import Reaction, Rng, Scene
from understudy.schema import Impression, Record, Ref, Trial


@register("participants", "dial_random")
class DialRandom(Record):
    """Moves a random dial to a random place, again and again; solves a question only by chance."""

    habits: Habits = Habits()
    others: Ref = Ref(name="careful")
    """Who answers the questions that have no dials."""

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Turn at random, or answer as the other would."""
        page = DialPage.of(trial, scene)
        others = others_answered(trial, page, impression, rng, like=self.others)
        if page is None or others is None:
            return others
        return dial_reaction(page, lambda hand: self._wander(hand, rng), others, self.habits, rng)

    def _wander(self, hand: Hand, rng: Rng) -> bool | None:
        for _ in range(MAX_VISITS):
            pause(hand, self.habits.think_ms, rng)
            dial = int(rng.integers(len(hand.page.dials)))
            one = hand.page.dials[dial]
            if one.kind == "discrete":
                hand.drag(dial, rng.integers(one.n_inputs, size=1).astype(float), frame_ms=self.habits.glance_ms)
            else:
                hand.drag(dial, way_across(hand, dial, float(rng.uniform(one.low, one.high)), self.habits.pace_s))
            if hand.is_solved:
                return True
            pause(hand, self.habits.check_ms, rng)
            if gives_up(hand, self.habits, rng):
                return False
        return False if hand.is_offered else None
