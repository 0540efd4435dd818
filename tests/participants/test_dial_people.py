"""People who turn dials: what they see, what they leave behind, and how they differ."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.dial_play import Blobs, events_of, person, reaction, trial
from understudy.measures.dial_paths import dial_path
from understudy.registry import create
from understudy.roles import Floats, Reaction
from understudy.schema import Impression, Ref

NAMES = (
    "dial_random",
    "dial_number_watcher",
    "dial_visual_matcher",
    "dial_learner",
    "dial_features_matcher",
    "dial_oracle",
)
every = pytest.mark.parametrize("name", NAMES)
QUESTION = trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4])
TWO_KINDS: list[dict[str, Any]] = [{"kind": "discrete", "options": ["a", "b", "c"]}, {"low": -1.0, "high": 1.0}]


def made(done: Reaction, action: str) -> list[dict[str, Any]]:
    return [interaction.payload for interaction in done.interactions if interaction.action == action]


class Chosen(Blobs):
    """A scene of a choice and a slider."""

    def look(self, codes: Floats) -> Floats:
        return super().look(np.column_stack([codes[:, :3].argmax(axis=1) - 1.0, codes[:, 3], codes[:, 3]]))


@every
def test_a_question_begins_with_its_start_and_ends_with_its_answer(name: str) -> None:
    done = reaction(name, QUESTION)
    assert done.interactions[0].action == "question_started"
    assert done.interactions[-1].action == "finished"
    assert done.interactions[-1].payload["code"] == done.response["dials"]["code"]  # type: ignore[index,call-overload]


@every
def test_the_answer_is_one_the_page_would_take(name: str) -> None:
    assert QUESTION.asks[0].accepts(reaction(name, QUESTION).response["dials"])


@every
def test_traces_come_in_the_order_of_their_times_and_none_after_the_answer(name: str) -> None:
    done = reaction(name, QUESTION)
    times = [interaction.after_ms for interaction in done.interactions]
    assert times == sorted(times)
    assert times[-1] <= done.rt_ms


@every
def test_snapshots_of_one_movement_are_a_tenth_of_a_second_apart(name: str) -> None:
    changed = made(reaction(name, QUESTION), "changed")
    is_early = [
        (before["dial"], before["dir"]) == (after["dial"], after["dir"]) and after["t_ms"] - before["t_ms"] < 100
        for before, after in pairwise(changed)
    ]
    # Letting go writes a snapshot at once, so one short gap may end a movement; two in a row may not.
    assert not any(one and other for one, other in pairwise(is_early))


@every
def test_snapshots_say_what_the_picture_was(name: str) -> None:
    scene = Blobs()
    target = scene.look(np.array([[0.7, -0.6, 0.4]]))[0]
    for one in made(reaction(name, QUESTION), "changed"):
        error = float(np.square(scene.look(np.array([one["code"]]))[0] - target).sum())
        assert one["sq_err"] == pytest.approx(error, abs=1e-4)


@every
def test_nobody_skips_before_it_is_offered(name: str) -> None:
    for seed in range(6):
        done = reaction(name, QUESTION, seed=seed)
        if done.response["dials"]["outcome"] == "skipped":  # type: ignore[index,call-overload]
            assert made(done, "skip_offered")[0]["t_ms"] >= 30_000


@every
def test_a_match_is_noted_at_the_very_change(name: str) -> None:
    outcomes = [reaction(name, trial([0.0, 0.0, 0.0], [0.25, 0.0, 0.0]), seed=seed) for seed in range(10)]
    solved = [outcome for outcome in outcomes if made(outcome, "solved")]
    assert solved
    assert all(made(one, "changed")[-1]["t_ms"] == made(one, "solved")[0]["t_ms"] for one in solved)
    assert all(made(one, "solved")[0]["agreement"] >= 0.899 for one in solved)


@every
def test_the_same_randomness_gives_the_same_traces(name: str) -> None:
    assert reaction(name, QUESTION, seed=4) == reaction(name, QUESTION, seed=4)


@every
def test_choices_are_tried_as_well_as_sliders(name: str) -> None:
    scene = Chosen()
    shown = trial([1, 0, 0, -0.5], [0, 0, 1, 0.5], scene=scene, dials=TWO_KINDS)
    done = reaction(name, shown, scene=scene)
    assert {one["dial"] for one in made(done, "changed")} == {0, 1}
    assert shown.asks[0].accepts(done.response["dials"])


@every
def test_a_skip_that_is_there_from_the_start_may_be_taken_at_once(name: str) -> None:
    done = reaction(name, trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], skip_after_s=0.0), habits={"give_up": 1.0})
    assert made(done, "skip_offered")[0]["t_ms"] == 0
    assert done.rt_ms < 30_000


@every
def test_a_skip_that_is_never_offered_is_never_taken(name: str) -> None:
    shown = trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], skip_after_s=None)
    done = person(name).respond(shown, Impression(), np.random.default_rng(1), Blobs())
    assert done is None or (not made(done, "skip_offered") and "solved" in str(done.response))


@every
def test_the_legacy_clock_offers_only_on_a_movement(name: str) -> None:
    done = reaction(name, trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], clock="legacy", skip_after_s=3.0), seed=2)
    offered = made(done, "skip_offered")
    moments = {one["t_ms"] for one in made(done, "changed")}
    assert all(one["t_ms"] in moments for one in offered)


def test_people_who_look_solve_what_chance_does_not() -> None:
    shares = {
        name: np.mean([bool(made(reaction(name, QUESTION, seed=seed), "solved")) for seed in range(12)])
        for name in NAMES
    }
    assert shares["dial_random"] < 0.5 < min(shares["dial_visual_matcher"], shares["dial_learner"])


def test_the_oracle_solves_everything_and_moves_the_dials_least() -> None:
    oracle, eye = (
        [reaction(name, QUESTION, seed=seed) for seed in range(5)] for name in ("dial_oracle", "dial_visual_matcher")
    )
    assert all(made(done, "solved") for done in oracle)
    assert np.mean([done.rt_ms for done in oracle]) < np.mean([done.rt_ms for done in eye])
    distances = [np.mean([score_path(done) for done in people]) for people in (oracle, eye)]
    assert distances[0] < distances[1]


def score_path(done: Reaction) -> float:
    path = dial_path(events_of(done))
    assert path is not None
    return path.distance


def test_noise_makes_the_eye_worse() -> None:
    def share(noise: float) -> float:
        done = (reaction("dial_visual_matcher", QUESTION, seed=seed, noise=noise) for seed in range(12))
        return float(np.mean([bool(made(one, "solved")) for one in done]))

    assert share(0.02) > share(3.0)


def test_the_learner_is_faster_with_a_model_known() -> None:
    def median_ms(n_before: int) -> float:
        learner = person("dial_learner", memory_noise=0.1)
        done = [
            learner.respond(QUESTION, Impression(n_in_stage=n_before), np.random.default_rng(k), Blobs())
            for k in range(20)
        ]
        return float(np.median([one.rt_ms for one in done if one is not None]))

    assert median_ms(4) < median_ms(0)


@every
def test_other_questions_are_answered_as_the_other_would(name: str) -> None:
    rating = {"kind": "rating", "question_id": "ease", "prompt": "?", "points": 7}
    shown = QUESTION.model_copy(update={"asks": (*QUESTION.asks, _question(rating))})
    done = reaction(name, shown, others={"name": "straight_liner"})
    assert done.response["ease"] == 4
    assert set(done.response) == {"dials", "ease"}


@every
def test_a_page_that_stands_still_is_left_to_the_other(name: str) -> None:
    rng = np.random.default_rng
    other = create("participants", Ref(name="careful")).respond(QUESTION, Impression(), rng(3), None)
    assert person(name).respond(QUESTION, Impression(), rng(3), None) == other


@pytest.mark.parametrize(("restarts", "leaves"), [(0.0, False), (1.0, True)])
def test_starting_anew_leaves_a_place_where_nothing_gets_better(restarts: float, leaves: bool) -> None:
    dead = Blobs(np.zeros((3, 3)))
    shown = trial([0.0, 0.0, 0.0], [0.7, -0.6, 0.4])
    done = reaction("dial_visual_matcher", shown, scene=dead, noise=0.0, habits={"restarts": restarts})
    ends = made(done, "finished")[0]["code"]
    assert bool(np.abs(ends).max() > 0.2) is leaves


def _question(fields: dict[str, Any]) -> Any:
    from_task = create("tasks", Ref(name="questionnaire", params={"questions": [fields]}))
    return from_task.questions[0]


class SmallDisc:
    """A disc that two dials move and one makes larger; elsewhere, the smaller it is the fewer pixels are wrong."""

    def look(self, codes: Floats) -> Floats:
        x, y = np.meshgrid(np.linspace(-1, 1, 24), np.linspace(-1, 1, 24))
        radius = 0.05 + 0.2 * (codes[:, 2, None, None] + 1)
        apart = np.hypot(x - codes[:, 0, None, None], y - codes[:, 1, None, None])
        rows: Floats = (1 / (1 + np.exp(20 * (apart - radius)))).reshape(len(codes), -1)
        return rows


def test_the_oracle_searches_again_where_its_first_search_ends_beside_the_target() -> None:
    small = trial([0.0, 0.0, 0.0], [0.8, -0.8, -0.7], scene=SmallDisc(), shape=[24, 24], threshold=0.6)
    done = [reaction("dial_oracle", small, scene=SmallDisc(), seed=seed) for seed in range(12)]
    assert all(made(one, "solved") for one in done)
