"""The visual matcher: turns one dial at a time to where the picture looks most like the target."""

from pydantic import Field

from understudy.participants.dials.hand import Hand
from understudy.participants.dials.people import DialPerson, noise_share, visual_mismatch
from understudy.participants.dials.turning import one_dial_at_a_time
from understudy.registry import register
from understudy.roles import Rng
from understudy.schema import Impression


@register("participants", "dial_visual_matcher")
class DialVisualMatcher(DialPerson):
    """Turns one dial at a time by a noisy impression of how similar the pictures are; never reads the number."""

    noise: float = Field(default=0.1, ge=0)
    """Standard deviation of each impression of a difference, in units of the target's contrast."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Match by eye."""
        noise = self.noise * noise_share(impression, hand.page)
        return one_dial_at_a_time(hand, visual_mismatch(hand.page, noise, rng), self.habits, rng, margin=noise)
