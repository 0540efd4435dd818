"""The number watcher: turns one dial at a time to where the agreement is highest."""

from pydantic import Field

from understudy.participants.dials.hand import Hand
from understudy.participants.dials.page import Frames
from understudy.participants.dials.people import DialPerson, noise_share
from understudy.participants.dials.turning import one_dial_at_a_time
from understudy.registry import register
from understudy.roles import Floats, Rng
from understudy.schema import Impression


@register("participants", "dial_number_watcher")
class DialNumberWatcher(DialPerson):
    """Turns one dial at a time by the agreement that the page shows; never looks at the pictures."""

    noise: float = Field(default=0.01, ge=0)
    """Standard deviation of each reading of the number, which is between 0 and 1."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Turn dials to raise the number."""
        noise = self.noise * noise_share(impression, hand.page)

        def mismatch(frames: Frames) -> Floats:
            # The page prints one decimal of a percentage.
            felt: Floats = -frames.agreements.round(3) + noise * rng.standard_normal(len(frames.agreements))
            return felt

        return one_dial_at_a_time(hand, mismatch, self.habits, rng, margin=max(noise, 0.02))
