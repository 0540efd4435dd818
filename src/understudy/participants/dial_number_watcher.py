"""The number watcher: turns one dial at a time to where the agreement is highest."""

from pydantic import Field

from understudy.participants.dial_habits import Habits
from understudy.participants.dial_page import DialPage, Seen
from understudy.participants.dial_people import dial_reaction, noise_share, others_answered
from understudy.participants.dial_turning import one_dial_at_a_time
from understudy.registry import register
from understudy.roles import Floats, Reaction, Rng, Scene
from understudy.schema import Impression, Record, Ref, Trial


@register("participants", "dial_number_watcher")
class DialNumberWatcher(Record):
    """Turns one dial at a time by the agreement the page prints; never looks at the pictures."""

    noise: float = Field(default=0.01, ge=0)
    """Standard deviation of each reading of the number, which stands between 0 and 1."""
    habits: Habits = Habits()
    others: Ref = Ref(name="careful")
    """Who answers the questions that have no dials."""

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Climb the number, or answer as the other would."""
        page = DialPage.of(trial, scene)
        others = others_answered(trial, page, impression, rng, like=self.others)
        if page is None or others is None:
            return others
        noise = self.noise * noise_share(impression, page)

        def badness(seen: Seen) -> Floats:
            # The page prints one decimal of a percentage.
            felt: Floats = -seen.agreements.round(3) + noise * rng.standard_normal(len(seen.agreements))
            return felt

        return dial_reaction(
            page,
            lambda hand: one_dial_at_a_time(hand, badness, self.habits, rng, margin=max(noise, 0.02)),
            others,
            self.habits,
            rng,
        )
