"""Simulated people are as able as stated: no more, no less."""

from collections import defaultdict
from math import log, sqrt
from statistics import fmean, pvariance
from typing import Any

import pytest

from tests.playing import CONFIDENCE, script_of, stage, study_of
from tests.small_studies import numbered_items
from understudy.conduct import Script
from understudy.schema import Ability, Cast, CastMember, Effect, Event, Ref, ResponseGiven, SessionEnded, SessionStarted
from understudy.simulate import rehearse

N_ITEMS = 40
N_SE = 4.5
PLAIN = Ability()


@pytest.fixture(scope="module")
def script() -> Script:
    sets = [{"name": "cases", "n_items": N_ITEMS, "dataset": numbered_items(N_ITEMS, answer=["yes", "no"])}]
    both = stage("predict")
    both["task"]["params"]["questions"].append(CONFIDENCE)
    return script_of(study_of(both, item_sets=sets, assignment={"quota": 50}))


def people(script: Script, kind: str, ability: Ability = PLAIN, *, seed: int = 1, **params: Any) -> list[list[Event]]:
    members = (CastMember(participant=Ref(name=kind, params=params), share=1),)
    return list(rehearse(script, Cast(members=members, ability=ability), seed=seed, n_people=100))


def judged(events: list[Event]) -> list[ResponseGiven]:
    return [event for event in events if isinstance(event, ResponseGiven) and "guess" in event.response]


def is_right(script: Script, event: ResponseGiven) -> bool:
    return event.response["guess"] == script.answers[event.trial_id]["guess"]


def shares(script: Script, crowd: list[list[Event]]) -> list[float]:
    return [fmean(is_right(script, event) for event in judged(events)) for events in crowd]


def condition_of(events: list[Event]) -> str:
    first = events[0]
    if not isinstance(first, SessionStarted):
        raise AssertionError("a session begins with its start")
    return first.assignment.condition


def standard_error(share: float, n: int) -> float:
    return sqrt(share * (1 - share) / n)


def test_a_guesser_is_right_by_chance(script: Script) -> None:
    share = fmean(shares(script, people(script, "guesser", Ability(accuracy=0.95))))
    assert abs(share - 0.5) < N_SE * standard_error(0.5, 100 * N_ITEMS)


@pytest.mark.parametrize("accuracy", [0.3, 0.75, 0.95])
def test_a_careful_person_is_right_as_often_as_stated(script: Script, accuracy: float) -> None:
    share = fmean(shares(script, people(script, "careful", Ability(accuracy=accuracy))))
    assert abs(share - accuracy) < N_SE * standard_error(accuracy, 100 * N_ITEMS)


def test_a_noisy_person_loses_what_the_lapses_cost(script: Script) -> None:
    expected = 0.7 * 0.9 + 0.3 * 0.5
    share = fmean(shares(script, people(script, "noisy", Ability(accuracy=0.9), lapse=0.3)))
    assert abs(share - expected) < N_SE * standard_error(expected, 100 * N_ITEMS)


def test_an_effect_raises_accuracy_by_its_log_odds_where_it_applies(script: Script) -> None:
    ability = Ability(accuracy=0.6, effects=(Effect(when={"explanation": "shown"}, shift=1.0),))
    crowd = people(script, "careful", ability)
    by_condition: dict[str, list[float]] = defaultdict(list)
    for events, share in zip(crowd, shares(script, crowd), strict=True):
        by_condition[condition_of(events)].append(share)
    odds = {name: log(fmean(values) / (1 - fmean(values))) for name, values in by_condition.items()}
    # Standard error of a difference of two log-odds, each from 2000 answers at about 0.6 and 0.8.
    error = sqrt(1 / (2000 * 0.24) + 1 / (2000 * 0.16))
    assert abs(odds["shown"] - odds["hidden"] - 1.0) < N_SE * error


@pytest.mark.parametrize(
    "where", [{"blocks": ["elsewhere"]}, {"questions": ["other"]}, {"when": {"explanation": "no"}}]
)
def test_an_effect_stays_where_it_was_put(script: Script, where: dict[str, Any]) -> None:
    effect = Effect.model_validate({**where, "shift": 3.0})
    plain, shifted = (people(script, "careful", Ability(effects=effects)) for effects in ((), (effect,)))
    assert plain == shifted


def test_an_effect_moves_ratings_by_standard_deviations(script: Script) -> None:
    def mean_rating(ability: Ability) -> float:
        crowd = people(script, "careful", ability)
        return fmean(float(str(one.response["confidence"])) for events in crowd for one in judged(events))

    up = Ability(effects=(Effect(questions=("confidence",), shift=0.5),))
    # A step of 1 is a quarter of the scale's length, so 0.5 moves a seven-point scale by 0.75.
    assert mean_rating(up) - mean_rating(Ability()) == pytest.approx(0.75, abs=0.12)


def test_a_learner_improves(script: Script) -> None:
    crowd = people(script, "learner", Ability(accuracy=0.95), first_lapse=1.0, half_life=5.0)
    early = fmean(is_right(script, one) for events in crowd for one in judged(events)[:5])
    late = fmean(is_right(script, one) for events in crowd for one in judged(events)[-10:])
    assert early < 0.65
    assert late > 0.9


def test_a_straight_liner_gives_one_answer_throughout(script: Script) -> None:
    for events in people(script, "straight_liner"):
        assert {(one.response["guess"], one.response["confidence"]) for one in judged(events)} == {("yes", 4)}


def test_dropouts_leave_at_the_stated_rate(script: Script) -> None:
    crowd = people(script, "dropout", hazard=0.03)
    n_shown = sum(event.type == "trial_shown" for events in crowd for event in events)
    n_left = sum(isinstance(events[-1], SessionEnded) and events[-1].outcome == "abandoned" for events in crowd)
    assert abs(n_left / n_shown - 0.03) < N_SE * standard_error(0.03, n_shown)


def test_people_differ_by_the_stated_spread(script: Script) -> None:
    chance_only = standard_error(0.75, N_ITEMS) ** 2
    alike, varied = (pvariance(shares(script, people(script, "careful", Ability(person_sd=sd)))) for sd in (0.0, 1.5))
    assert alike < 2 * chance_only < varied


def test_items_differ_by_the_stated_spread_and_for_everybody_alike(script: Script) -> None:
    def by_item(ability: Ability, seed: int) -> dict[str, float]:
        right: dict[str, list[bool]] = defaultdict(list)
        for events in people(script, "careful", ability, seed=seed):
            for one in judged(events):
                right[one.trial_id].append(is_right(script, one))
        return {trial_id: fmean(values) for trial_id, values in right.items()}

    chance_only = standard_error(0.75, 100) ** 2
    first, second = (by_item(Ability(item_sd=1.5), seed) for seed in (1, 2))
    assert pvariance(by_item(Ability(), 1).values()) < 2.5 * chance_only < pvariance(first.values())
    assert fmean(abs(first[one] - second[one]) for one in first) < 0.1


SHOWN = Effect(when={"explanation": "shown"}, shift=0.0)


def test_people_differ_in_what_a_condition_does_to_them(script: Script) -> None:
    slopes = Ability(accuracy=0.5, effects=(SHOWN,), person_slope_sd=2.0)
    crowd = people(script, "careful", slopes)
    spread = {
        name: pvariance(shares(script, [events for events in crowd if condition_of(events) == name]))
        for name in ("shown", "hidden")
    }
    assert spread["shown"] > 3 * spread["hidden"]


def test_items_differ_in_what_a_condition_does_to_them(script: Script) -> None:
    crowd = people(script, "careful", Ability(accuracy=0.5, effects=(SHOWN,), item_slope_sd=2.0))
    spread = {}
    for name in ("shown", "hidden"):
        of_item = defaultdict(list)
        for events in crowd:
            for event in judged(events) if condition_of(events) == name else ():
                of_item[event.trial_id].append(is_right(script, event))
        spread[name] = pvariance(map(fmean, of_item.values()))
    assert spread["shown"] > 3 * spread["hidden"]
