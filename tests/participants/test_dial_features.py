"""What people see of a picture, and what they make of it: a match by features, and a rating of how hard it was."""

from typing import Any

import numpy as np
import pytest

from tests.dial_play import DIALS, Blobs, person, reaction, trial
from understudy.participants.dial_page import PLACE_STEP, DialPage, LineEye, ObjectEye, QuickScene, steps_apart
from understudy.roles import Floats, mind_of
from understudy.schema import Impression, Trial

SHAPE = (32, 32)
EYE = ObjectEye(SHAPE)
PLACE, SIZE, LONG, FORM = slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 12)


def bar(x: float = 0.0, y: float = 0.0, *, wide: float = 0.1, high: float = 0.1, turned: float = 0.0) -> Floats:
    """A soft rectangle on a dark picture, with its centre and half edges as shares of the picture."""
    across, down = np.meshgrid(np.linspace(-0.5, 0.5, SHAPE[1]), np.linspace(-0.5, 0.5, SHAPE[0]))
    along = (across - x) * np.cos(turned) + (down - y) * np.sin(turned)
    aside = -(across - x) * np.sin(turned) + (down - y) * np.cos(turned)
    soft = 1 / (1 + np.exp((np.maximum(np.abs(along) / wide, np.abs(aside) / high) - 1) * 10))
    picture: Floats = soft.reshape(1, -1)
    return picture


def changes(before: Floats, after: Floats) -> Floats:
    moved: Floats = np.abs(EYE.features(after) - EYE.features(before))[0]
    return moved


def test_moving_an_object_changes_its_place_by_as_many_steps() -> None:
    moved = changes(bar(-0.1), bar(0.1))
    assert moved[0] == pytest.approx(0.2 / PLACE_STEP, rel=0.02)
    assert moved[1] == pytest.approx(0, abs=0.05)


def test_moving_an_object_leaves_its_form_alone() -> None:
    assert changes(bar(-0.1, wide=0.15), bar(0.1, wide=0.15))[2:].max() < 0.5


def test_growing_is_seen_as_size_and_not_as_place_or_form() -> None:
    moved = changes(bar(wide=0.1, high=0.1), bar(wide=0.15, high=0.15))
    assert moved[SIZE].min() > 4
    assert max(moved[PLACE].max(), moved[LONG].max()) < 1


def test_a_turned_bar_points_another_way() -> None:
    moved = changes(bar(wide=0.2, high=0.06), bar(wide=0.2, high=0.06, turned=np.pi / 4))
    assert moved[LONG].max() > 5


def test_a_bar_turned_by_half_a_circle_looks_the_same() -> None:
    assert changes(bar(wide=0.2, high=0.06), bar(wide=0.2, high=0.06, turned=np.pi)).max() < 0.5


def test_a_turned_square_differs_only_in_shape() -> None:
    moved = changes(bar(), bar(turned=np.pi / 4))
    assert moved[FORM].max() > 2
    assert moved[LONG].max() < 0.5


def test_objects_that_do_not_overlap_come_nearer_step_by_step() -> None:
    target = EYE.features(bar(0.35))
    apart = steps_apart(EYE, np.concatenate([bar(x) for x in (-0.35, -0.2, -0.05, 0.1)]), target)
    assert (np.diff(apart) < -5).all()


def test_an_empty_picture_has_features_too() -> None:
    assert np.isfinite(EYE.features(np.zeros((1, SHAPE[0] * SHAPE[1])))).all()


def test_a_line_has_height_tilt_and_waves() -> None:
    eye, along = LineEye(64, 20.0), np.linspace(-0.5, 0.5, 64)
    flat, raised, tilted, waved = eye.features(np.array([0 * along, 0 * along + 2, 4 * along, np.sin(20 * along)]))
    assert (raised - flat)[0] == pytest.approx(2 / 20 / PLACE_STEP)
    assert (tilted - flat)[1] == pytest.approx(4 / 20 / PLACE_STEP)
    assert (waved - flat)[2] > 5


def solved(name: str, *, n: int = 10, **params: Any) -> float:
    scene = Bars()
    shown = bars_question(scene)
    done = (reaction(name, shown, seed=seed, scene=scene, **params) for seed in range(n))
    return float(np.mean([any(trace.action == "solved" for trace in outcome.interactions) for outcome in done]))


class Bars:
    """A scene with a small square that two dials move across the picture."""

    def look(self, codes: Floats) -> Floats:
        rows: Floats = np.concatenate([bar(0.4 * x, 0.4 * y, wide=0.05, high=0.05) for x, y in codes])
        return rows


def bars_question(scene: Bars) -> Trial:
    shown = trial([-0.9, -0.9], [0.8, 0.7], scene=scene, dials=DIALS[:2], skip_after_s=15.0)
    card = {"limits": [0.0, 1.0], "shape": list(SHAPE)}
    return shown.model_copy(update={"params": {**shown.params, "decoder": {"address": "x.onnx", "card": card}}})


def test_people_who_see_where_an_object_is_solve_what_comparing_pixels_does_not() -> None:
    at_once = {"give_up": 1.0}
    by_pixels = solved("dial_visual_matcher", noise=0.1, habits=at_once)
    assert solved("dial_features_matcher", noise=0.5, habits=at_once) > by_pixels + 0.3


def test_noise_makes_the_features_matcher_worse() -> None:
    assert solved("dial_features_matcher", noise=0.5) > solved("dial_features_matcher", noise=30.0)


def test_nearly_there_people_skip_less() -> None:
    # Dials that do nothing keep the agreement where it is.
    def seconds(agreement_lack: float, hope: float) -> float:
        near = Blobs(np.zeros((3, 3)))
        shown = trial([0.0] * 3, [0.0] * 3, scene=near, threshold=1.0 + agreement_lack, skip_after_s=5.0)
        habits = {"hope": hope, "give_up": 0.5}
        done = [reaction("dial_features_matcher", shown, seed=seed, scene=near, habits=habits) for seed in range(5)]
        return float(np.mean([outcome.rt_ms for outcome in done])) / 1000

    assert seconds(0.02, 0.3) > seconds(0.02, 0.0) * 1.5


AS_PICTURE = {"address": "x.onnx", "card": {"limits": [0.0, 1.0], "shape": [9, 10]}}
"""Makes the humps a picture, of which quick pages leave frames out; as a line they are decoded whole."""


class Counting(Blobs):
    """Counts what is decoded."""

    n_rows = n_calls = 0

    def look(self, codes: Floats) -> Floats:
        self.n_rows, self.n_calls = self.n_rows + len(codes), self.n_calls + 1
        return super().look(codes)


def counted(**params: Any) -> tuple[Counting, Counting]:
    """Play a question on a plain page and on a quick one."""
    plain, quick = Counting(), Counting()
    shown = trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], **params)
    reaction("dial_visual_matcher", shown, scene=plain)
    reaction("dial_visual_matcher", shown, scene=QuickScene(quick))
    return plain, quick


def test_a_quick_page_blends_only_frames_far_from_a_match() -> None:
    shown = trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], decoder=AS_PICTURE)
    outcomes = [
        [reaction("dial_visual_matcher", shown, seed=seed, scene=scene).response for seed in range(8)]
        for scene in (Blobs(), QuickScene(Blobs()))
    ]
    shares = [np.mean(["'solved'" in str(answer["dials"]) for answer in answers]) for answers in outcomes]
    assert abs(shares[0] - shares[1]) <= 0.25


def test_a_quick_page_decodes_fewer_frames_of_pictures() -> None:
    plain, quick = counted(decoder=AS_PICTURE)
    assert quick.n_rows < 0.75 * plain.n_rows


def test_a_quick_page_decodes_lines_many_at_once() -> None:
    plain, quick = counted()
    assert quick.n_calls < 0.7 * plain.n_calls


def test_frames_near_a_match_are_decoded_and_not_blended() -> None:
    shown = trial([-0.8, 0.5, 0.0], [0.7, -0.6, 0.4], decoder=AS_PICTURE)
    pages = [DialPage.of(shown, scene) for scene in (Blobs(), QuickScene(Blobs()))]
    codes = np.column_stack([np.linspace(-0.8, 0.7, 23), np.full(23, -0.6), np.full(23, 0.4)])
    looks = [page.look_along(codes, page.look(codes[:1]), every=5) for page in pages if page is not None]
    near = looks[0].agreements >= 0.9
    assert 0 < near.sum() < len(near)
    np.testing.assert_allclose(looks[1].outputs[near], looks[0].outputs[near])


def rated(*, is_solvable: bool) -> float:
    """The mean rating after three questions that everybody solves, or nobody."""
    scene = Blobs(np.eye(3) if is_solvable else np.zeros((3, 3)))
    question = trial([0.0, 0.0, 0.0], [0.8, 0.0, 0.0], skip_after_s=20.0)
    form = Trial.model_validate(
        {"trial_id": "r", "block_id": "ease", "task": "seq", "params": {},
         "asks": [{"kind": "rating", "question_id": "difficulty", "prompt": "?", "points": 7}]}
    )  # fmt: skip
    ratings = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        mind = mind_of(person("dial_visual_matcher", noise=0.01, habits={"give_up": 1.0}))
        for number in range(3):
            mind.respond(question, Impression(n_in_stage=number), rng, scene)
        form_filled = mind.respond(form, Impression(), rng, None)
        ratings.append(int(str(form_filled.response["difficulty"])) if form_filled is not None else 0)
    return float(np.mean(ratings))


def test_rated_difficulty_follows_performance() -> None:
    assert rated(is_solvable=False) > rated(is_solvable=True) + 1.5
