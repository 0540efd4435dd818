"""What all people who turn dials have in common: the dials are theirs, every other question is somebody else's."""

from collections.abc import Callable
from typing import TypeAlias

from understudy.participants.dial_habits import Habits, pause
from understudy.participants.dial_hand import Hand
from understudy.participants.dial_page import DialPage
from understudy.registry import create
from understudy.roles import Reaction, Rng
from understudy.schema import Impression, Ref, Trial

Work: TypeAlias = Callable[[Hand], bool | None]
"""Turns dials until the match is found (True), given up (False), or the person leaves (None)."""


def others_answered(
    trial: Trial, page: DialPage | None, impression: Impression, rng: Rng, *, like: Ref
) -> Reaction | None:
    """Answer everything but live dials as somebody else would."""
    if page is not None:
        trial = trial.model_copy(update={"asks": tuple(q for q in trial.asks if q.question_id != page.question_id)})
        if not trial.asks:
            return Reaction(response=dict(trial.typical), rt_ms=0.0)
    answered: Reaction | None = create("participants", like).respond(trial, impression, rng, None)
    return answered


def dial_reaction(page: DialPage, work: Work, others: Reaction, habits: Habits, rng: Rng) -> Reaction | None:
    """Work on the dials, press the button, and return everything the page would have recorded."""
    hand = Hand(page)
    is_solved = work(hand)
    if is_solved is None:
        return None
    pause(hand, habits.click_ms, rng)
    answer = hand.finish("solved" if is_solved else "skipped")
    return Reaction(
        response={page.question_id: answer, **others.response},
        rt_ms=hand.t_ms + others.rt_ms,
        interactions=tuple(hand.traces),
        active_ms=hand.active_ms + others.rt_ms,
    )


def noise_share(impression: Impression, page: DialPage) -> float:
    """Return how much of a person's noise is left by the ability a study states: a quarter less for each unit."""
    return float(0.75 ** impression.latents.get(page.question_id, 0.0))
