"""A study about any model is built from its relevance key, and is sound."""

from pathlib import Path

import numpy as np
import pytest

from understudy.actions.importance import Effects, ImportanceOptions, ModelName, key_from_effects
from understudy.check.study_check import study_faults
from understudy.errors import MaterialsError
from understudy.prepare import prepare
from understudy.protocols import Discovered, Terms, bias_discovery_study
from understudy.schema import PictureGrid, Ref, RelevanceKey, Study
from understudy.worlds.laws import Uniform
from understudy.worlds.world import Attribute, World

TERMS = Terms(quota=10, minutes=8, reward=2.0)
GRID = Ref(name="score_grid", params={"dataset": "drawn_shapes", "n": 60, "n_rows": 3, "n_columns": 2})
MODEL = Ref(name="linear_classifier", params={"weights": [0.02] * 256})


def key() -> RelevanceKey:
    attributes = tuple(
        Attribute(name=name, low=0, high=1, law=Uniform(low=0, high=1)) for name in ("place", "wall_hue")
    )
    world = World(name="squares", classes=("left", "right"), attributes=attributes)
    rng = np.random.default_rng(1)
    logits = rng.normal(size=100)
    moved = {name: rng.normal(size=100) for name in world.names}
    changed = {"place": logits + moved["place"], "wall_hue": logits + rng.normal(size=100)}
    effects = Effects(logits, changed, moved, {}, None, None)
    return key_from_effects(world, effects, ImportanceOptions(n=100), ModelName("made up"))


def study(**grids: Ref) -> Study:
    about = Discovered(key(), MODEL, grids, words={"place": "the place of the square"})
    return bias_discovery_study("squares", "What does it rely on?", about, TERMS, seed=1)


def test_people_see_the_grid_and_are_asked_about_every_group() -> None:
    made = study(sorted=GRID)
    assert study_faults(made, Path()) == []
    prepared = prepare(made, Path())
    (page,) = [trial for trial in prepared.materials.trials.values() if trial.explanation is not None]
    assert isinstance(page.explanation, PictureGrid)
    assert [question.question_id for question in page.asks] == ["place", "place_why", "wall_hue", "wall_hue_why"]
    assert "the place of the square" in page.asks[0].prompt
    assert "the wall hue" in page.asks[2].prompt


def test_right_answers_are_those_of_the_key() -> None:
    prepared = prepare(study(sorted=GRID), Path())
    (right,) = [answers for answers in prepared.key.answers.values() if answers]
    assert right == {"place": "Relevant", "wall_hue": "Irrelevant"}


def test_further_grids_are_conditions_that_are_compared_with_the_first() -> None:
    other = GRID.model_copy(update={"params": {**GRID.params, "binning": "equal_width"}})
    made = study(sorted=GRID, spread=other)
    assert study_faults(made, Path()) == []
    assert made.factors[0].levels == ("sorted", "spread")
    assert [hypothesis.contrast for hypothesis in made.plan.hypotheses] == [("spread", "sorted")]


def test_a_study_without_a_grid_is_refused() -> None:
    with pytest.raises(MaterialsError, match="No grid is named"):
        study()
