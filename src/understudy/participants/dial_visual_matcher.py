"""The visual matcher: turns one dial at a time to where the picture looks most like the target."""

from pydantic import Field

from understudy.participants.dial_habits import Habits
from understudy.participants.dial_page import DialPage, Seen
from understudy.participants.dial_people import dial_reaction, noise_share, others_answered
from understudy.participants.dial_turning import one_dial_at_a_time
from understudy.registry import register
from understudy.roles import Floats, Reaction, Rng, Scene
from understudy.schema import Impression, Record, Ref, Trial


@register("participants", "dial_visual_matcher")
class DialVisualMatcher(Record):
    """Turns one dial at a time by a noisy impression of how alike the pictures are; never reads the number."""

    noise: float = Field(default=0.1, ge=0)
    """Standard deviation of each impression of a difference, in units of the target's contrast."""
    habits: Habits = Habits()
    others: Ref = Ref(name="careful")
    """Who answers the questions that have no dials."""

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Match by eye, or answer as the other would."""
        page = DialPage.of(trial, scene)
        others = others_answered(trial, page, impression, rng, like=self.others)
        if page is None or others is None:
            return others
        noise = self.noise * noise_share(impression, page)

        def badness(seen: Seen) -> Floats:
            felt: Floats = page.differences(seen.outputs) + noise * rng.standard_normal(len(seen.outputs))
            return felt

        return dial_reaction(
            page,
            lambda hand: one_dial_at_a_time(hand, badness, self.habits, rng, margin=noise),
            others,
            self.habits,
            rng,
        )
