"""The features matcher: turns one dial at a time to where the object looks most like the target's."""

from pydantic import Field

from understudy.participants.dials.features import DETAIL_STEP, Eye, LineEye, ObjectEye, steps_apart
from understudy.participants.dials.habits import Habits
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.page import DialPage, Frames
from understudy.participants.dials.people import DialPerson, noise_share
from understudy.participants.dials.turning import one_dial_at_a_time
from understudy.registry import register
from understudy.roles import Floats, Rng
from understudy.schema import Impression


@register("participants", "dial_features_matcher")
class DialFeaturesMatcher(DialPerson):
    """Compares place, size, direction, elongation, shape and detail of what is shown with the target's."""

    habits: Habits = Habits(hope=0.3)
    noise: float = Field(default=1.0, ge=0)
    """Standard deviation of each comparison, in just noticeable steps."""

    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Match by features."""
        page = hand.page
        noise = self.noise * noise_share(impression, page)
        eye = _eye(page)
        target = eye.features(page.target[None])

        def mismatch(frames: Frames) -> Floats:
            # Laid over each other, two pictures also show which parts do not coincide.
            detail = page.differences(frames.outputs) / DETAIL_STEP
            felt: Floats = steps_apart(eye, frames.outputs, target) + detail
            return felt + noise * rng.standard_normal(len(felt))

        return one_dial_at_a_time(hand, mismatch, self.habits, rng, margin=noise)


def _eye(page: DialPage) -> Eye:
    return ObjectEye(page.shape) if len(page.shape) == 2 else LineEye(len(page.target), page.drawn_range)
