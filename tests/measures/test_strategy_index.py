"""The strategy index, tried on people whose strategy is known."""

from collections.abc import Callable

import numpy as np

from tests.dial_play import Blobs, events_of, reaction, trial
from understudy.participants.dial_hand import Habits, Hand, reach
from understudy.participants.dial_page import DialPage
from understudy.registry import create
from understudy.roles import Floats, Reaction
from understudy.schema import Ref, Trial

MIXED = np.array([[1.0, 0.8, -0.6], [-0.7, 1.0, 0.8], [0.8, -0.6, 1.0]])
"""Every dial moves every hump."""
SCENE = Blobs(MIXED)


def questions() -> list[tuple[Trial, Floats]]:
    rng = np.random.default_rng(5)
    pairs = rng.uniform(-0.9, 0.9, size=(12, 2, 3))
    return [(trial(start.tolist(), target.tolist(), scene=SCENE), target) for start, target in pairs]


def oracle(shown: Trial, target: Floats, seed: int) -> Reaction:
    """Knows the code, and brings each dial there once."""
    page = DialPage.of(shown, SCENE)
    if page is None:
        raise AssertionError("the trial has dials")
    hand = Hand(page)
    for dial, value in enumerate(target):
        if not hand.is_solved:
            reach(hand, dial, float(value), Habits(aim=0.001), np.random.default_rng(seed))
    answer = hand.finish("solved" if hand.is_solved else "skipped")
    return Reaction({"dials": answer}, hand.t_ms, tuple(hand.traces), hand.active_ms)


def index(play: Callable[[Trial, Floats, int], Reaction], name: str = "strategy_index") -> float:
    measure = create("measures", Ref(name=name))
    scores = [measure.score(events_of(play(shown, target, k)), {}) for k, (shown, target) in enumerate(questions())]
    return float(np.mean([score for score in scores if score is not None]))


def by_descent(shown: Trial, _: Floats, seed: int) -> Reaction:
    return reaction("dial_visual_matcher", shown, seed=seed, scene=SCENE, noise=0.0, habits={"give_up": 0.05})


def at_random(shown: Trial, _: Floats, seed: int) -> Reaction:
    return reaction("dial_random", shown, seed=seed, scene=SCENE, habits={"give_up": 0.05})


def test_an_oracle_makes_one_informed_pass() -> None:
    assert index(oracle) == 1.0


def test_coordinate_descent_lies_far_below_an_oracle() -> None:
    assert index(by_descent) < 0.5


def test_loops_without_aim_lie_near_nought() -> None:
    assert -0.3 < index(at_random) < 0.4


def test_the_share_of_climbs_tells_descent_from_loops() -> None:
    assert index(by_descent, "hill_climb_share") > index(at_random, "hill_climb_share") + 0.2
