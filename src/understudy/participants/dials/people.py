"""The common part of people who turn dials; another participant answers the other questions."""

from abc import ABC, abstractmethod

from understudy.participants.dials.habits import Habits, pause
from understudy.participants.dials.hand import Hand
from understudy.participants.dials.naming import name_dials
from understudy.participants.dials.page import DialPage, Frames
from understudy.participants.dials.rating import DialMind
from understudy.participants.dials.turning import Mismatch
from understudy.registry import create
from understudy.roles import Floats, Reaction, Rng, Scene
from understudy.schema import Impression, Record, Ref, Trial


class DialPerson(Record, ABC):
    """Answers a page with dials; each kind of person turns them in its own way."""

    habits: Habits = Habits()
    others: Ref = Ref(name="careful")
    """The participant who answers the questions without dials."""

    def mind(self) -> DialMind:
        """Return the person for one session, who remembers how the questions went."""
        return DialMind(self)

    def respond(self, trial: Trial, impression: Impression, rng: Rng, scene: Scene | None) -> Reaction | None:
        """Turn the dials, press the button, and return everything that the page would have recorded."""
        page = DialPage.of(trial, scene)
        others = answer_other_questions(trial, page, impression, rng, like=self.others)
        if page is None or others is None:
            return others
        hand = Hand(page)
        is_solved = self.turn_dials(hand, impression, rng)
        if is_solved is None:
            return None
        if page.has_labels:
            name_dials(hand, self.habits, rng)
        pause(hand, self.habits.click_ms, rng)
        answer = hand.finish("solved" if is_solved else "skipped")
        return Reaction(
            response={page.question_id: answer, **others.response},
            rt_ms=hand.t_ms + others.rt_ms,
            interactions=tuple(hand.traces),
            active_ms=hand.active_ms + others.rt_ms,
        )

    @abstractmethod
    def turn_dials(self, hand: Hand, impression: Impression, rng: Rng) -> bool | None:
        """Turn until the match is found (True) or given up (False); return None to leave the study."""


def answer_other_questions(
    trial: Trial, page: DialPage | None, impression: Impression, rng: Rng, *, like: Ref
) -> Reaction | None:
    """Answer everything but live dials as another participant would."""
    if page is not None:
        trial = trial.model_copy(update={"asks": tuple(q for q in trial.asks if q.question_id != page.question_id)})
        if not trial.asks:
            return Reaction(response=dict(trial.typical), rt_ms=0.0)
    answered: Reaction | None = create("participants", like).respond(trial, impression, rng, None)
    return answered


def noise_share(impression: Impression, page: DialPage) -> float:
    """Return the share of a person's noise that remains given their ability: a quarter less for each unit."""
    return float(0.75 ** impression.latents.get(page.question_id, 0.0))


def visual_mismatch(page: DialPage, noise: float, rng: Rng) -> Mismatch:
    """Judge pictures by a noisy impression of how far each one is from the target."""

    def mismatch(frames: Frames) -> Floats:
        felt: Floats = page.differences(frames.outputs) + noise * rng.standard_normal(len(frames.outputs))
        return felt

    return mismatch
