"""People who judge predictions look at the page alone: maps, regions and steps, never the key."""

from typing import Any

import numpy as np
import pytest

from understudy import registry
from understudy.participants.prediction_page import SeenRow, likeness, prediction_page, strength, tidiness
from understudy.roles import Reaction
from understudy.schema import (
    Alternatives,
    Choice,
    Explanation,
    Heatmap,
    Impression,
    PrototypeMatch,
    PrototypeMatches,
    Rating,
    Ref,
    Region,
    ShownPicture,
    Slider,
    TreeFork,
    TreePath,
    TreeStep,
    Trial,
    heatmap_from_arrays,
)
from understudy.sources.pictures import picture_from_pixels

WHOLE = Region(left=0, top=0, width=1, height=1)
SURE = {"noise": 0.0, "lapse": 0.0, "doubt": 0.0}
PEOPLE = ("believer", "map_sum_reader", "similarity_judge", "tree_walker")
AGREEMENT = Rating(question_id="agreement", prompt="?", points=4)


def painted(colour: tuple[int, int, int]) -> tuple[ShownPicture, bytes]:
    pixels = np.random.default_rng(1).integers(-20, 20, size=(16, 16, 3)) + np.array(colour)
    file = picture_from_pixels(np.clip(pixels, 0, 255).astype(np.uint8))
    return ShownPicture(file=file.address, width=16, height=16), file.content


RED, GREEN = painted((220, 30, 30)), painted((30, 220, 30))
PICTURES = {RED[0].file: RED[1], GREEN[0].file: GREEN[1]}


def red_thing() -> tuple[ShownPicture, bytes]:
    """A red square in the middle of something grey."""
    pixels = np.full((16, 16, 3), 128, dtype=np.uint8)
    pixels[4:12, 4:12] = (220, 30, 30)
    file = picture_from_pixels(pixels)
    return ShownPicture(file=file.address, width=16, height=16), file.content


THING = red_thing()
PICTURES[THING[0].file] = THING[1]


def row(source: ShownPicture, **more: Any) -> Any:
    made = TreeStep if more.pop("is_step", False) else PrototypeMatch
    return made(row_id="r", region=WHOLE, source=source, source_region=WHOLE, **more)


def maps(*grids: Any) -> Heatmap:
    return heatmap_from_arrays(RED[0], [np.asarray(grid, dtype=float) for grid in grids])


def answered(name: str, explanation: Explanation | None, *asks: Any, params: Any = None, key: Any = None) -> Any:
    person = registry.create("participants", Ref(name=name, params={"habits": SURE}))
    trial = Trial(trial_id="t", block_id="b", task="judge", params=params or {}, asks=asks, explanation=explanation)
    impression = Impression.model_construct(
        answers=key or {}, latents={}, center=0.0, spread=1.0, n_seen=0, n_in_stage=0, pictures=PICTURES
    )
    reaction = person.respond(trial, impression, np.random.default_rng(0), None)
    assert isinstance(reaction, Reaction)
    return reaction.response


TIDY = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
SPREAD = [[0.6, 0.5, 0.6], [0.5, 1, 0.5], [0.6, 0.5, 0.6]]
FAINT = [[0, 0, 0], [0, 0.1, 0], [0, 0, 0]]


def test_a_map_with_its_evidence_in_one_place_is_tidy_and_one_with_much_of_it_is_strong() -> None:
    assert tidiness(np.array(TIDY)) > tidiness(np.array(SPREAD))
    assert strength(np.array(TIDY)) < strength(np.array(SPREAD))


def test_believers_agree_with_a_tidy_map_more_than_with_a_spread_one() -> None:
    tidy, spread = (answered("believer", maps(grid), AGREEMENT)["agreement"] for grid in (TIDY, SPREAD))
    assert tidy == 4
    assert spread < tidy


def test_readers_of_sums_take_the_strongest_map_for_the_predicted_class() -> None:
    asked = Choice(question_id="predicted_class", prompt="?", options=("1", "2", "3"))
    assert answered("map_sum_reader", maps(FAINT, SPREAD, FAINT), asked)["predicted_class"] == "2"


def test_believers_take_the_map_with_the_most_evidence_for_its_class_and_not_a_faint_spot() -> None:
    asked = Choice(question_id="predicted_class", prompt="?", options=("1", "2", "3"))
    against = -np.array(SPREAD) + 2 * np.array(TIDY)
    page = heatmap_from_arrays(RED[0], [against, np.array(SPREAD), np.array(FAINT)], is_signed=True)
    assert answered("believer", page, asked)["predicted_class"] == "2"


def test_believers_agree_with_what_a_step_says_that_the_model_decided() -> None:
    steps = (row(RED[0], is_step=True, is_present=True), row(GREEN[0], is_step=True, is_present=False))
    path = TreePath(picture=RED[0], steps=steps)
    against = TreePath(
        picture=RED[0], steps=tuple(step.model_copy(update={"is_present": not step.is_present}) for step in steps)
    )
    assert answered("believer", path, AGREEMENT)["agreement"] == 4
    assert (
        answered("tree_walker", against, AGREEMENT)["agreement"] < answered("tree_walker", path, AGREEMENT)["agreement"]
    )


def test_somebody_who_is_asked_twice_looks_twice() -> None:
    asks = [Choice(question_id=name, prompt="?", options=("1", "2")) for name in ("predicted_class", "correct_class")]
    alike = maps(SPREAD, SPREAD)
    person = registry.create("participants", Ref(name="believer", params={"habits": {"noise": 0.5, "lapse": 0.0}}))
    trial = Trial(trial_id="t", block_id="b", task="judge", params={}, asks=tuple(asks), explanation=alike)
    impression = Impression.model_construct(
        answers={}, latents={}, center=0.0, spread=1.0, n_seen=0, n_in_stage=0, pictures=PICTURES
    )
    given = [person.respond(trial, impression, np.random.default_rng(seed), None).response for seed in range(8)]
    assert {row["predicted_class"] == row["correct_class"] for row in given} == {True, False}


def test_judges_of_similarity_take_the_map_that_marks_what_stands_out_though_it_is_fainter() -> None:
    corner, middle = np.zeros((4, 4)), np.zeros((4, 4))
    corner[:1, :1], middle[1:3, 1:3] = 1, 0.2
    page = heatmap_from_arrays(THING[0], [corner, middle])
    asked = Choice(question_id="predicted_class", prompt="?", options=("1", "2"))
    assert answered("similarity_judge", page, asked)["predicted_class"] == "2"
    assert answered("map_sum_reader", heatmap_from_arrays(THING[0], [5 * corner, middle]), asked) == {
        "predicted_class": "1"
    }


@pytest.mark.parametrize("name", PEOPLE)
def test_what_the_key_says_changes_nothing(name: str) -> None:
    asked = Choice(question_id="correct_class", prompt="?", options=("1", "2", "3"))
    page = maps(FAINT, SPREAD, TIDY)
    assert answered(name, page, asked) == answered(name, page, asked, key={"correct_class": "1"})


def test_regions_of_the_same_colour_look_more_alike() -> None:
    same, other = (likeness(SeenRow(RED[0], row(source)), PICTURES) for source in (RED[0], GREEN[0]))
    assert same > 0.9
    assert other < 0.6


def test_rows_are_rated_by_what_they_show() -> None:
    asks = [Rating(question_id=f"row_{k}", prompt="?", points=4) for k in (1, 2)]
    page = PrototypeMatches(picture=RED[0], rows=(row(GREEN[0]), row(RED[0])))
    given = answered("similarity_judge", page, *asks, AGREEMENT)
    assert given["row_2"] == 4
    assert given["row_1"] < given["row_2"]


def test_the_option_with_the_most_similar_rows_is_chosen() -> None:
    page = Alternatives(
        options=tuple(PrototypeMatches(picture=RED[0], rows=(row(source),)) for source in (GREEN[0], RED[0]))
    )
    asked = Choice(question_id="correct_class", prompt="?", options=("1", "2"))
    rating = Rating(question_id="option_2_row_1", prompt="?", points=4)
    assert answered("similarity_judge", page, rating, asked) == {"option_2_row_1": 4, "correct_class": "2"}


def test_walkers_disagree_with_the_first_step_that_looks_otherwise() -> None:
    steps = (row(RED[0], is_step=True, is_present=True), row(GREEN[0], is_step=True, is_present=True))
    asked = Choice(question_id="first_disagreement", prompt="?", options=("Step 1", "Step 2", "I agree with all steps"))
    assert answered("tree_walker", TreePath(picture=RED[0], steps=steps), asked)["first_disagreement"] == "Step 2"
    agreed = TreePath(picture=RED[0], steps=steps[:1])
    assert answered("tree_walker", agreed, asked)["first_disagreement"] == "I agree with all steps"


def test_walkers_decide_by_likeness_on_the_branch_they_take() -> None:
    fork = TreeFork(
        first=row(RED[0], is_step=True), if_absent=row(RED[0], is_step=True), if_present=row(GREEN[0], is_step=True)
    )
    asks = [Choice(question_id=f"decision_{k}", prompt="?", options=("Absent", "Present")) for k in (1, 2)]
    page = TreePath(picture=RED[0], fork=fork)
    assert answered("tree_walker", page, *asks) == {"decision_1": "Present", "decision_2": "Absent"}


def test_demands_start_from_the_accuracy_on_the_page() -> None:
    asked = Slider(question_id="accuracy_high", prompt="?", low=70, high=100, step=1)
    given = answered("believer", None, asked, params={"accuracy": 85.0})["accuracy_high"]
    assert 70 <= given <= 100
    assert given == round(given)


def test_a_page_without_maps_rows_or_steps_is_not_about_a_prediction() -> None:
    assert prediction_page(Trial(trial_id="t", block_id="b", task="consent", params={})) is None
