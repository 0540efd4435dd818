"""Part importance: a model that looks at one part, and heat maps that do or do not."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

from understudy.errors import MaterialsError
from understudy.roles import Floats
from understudy.sources.picture_pools import model_inputs
from understudy.worlds.creature_sets import render_creatures
from understudy.worlds.creatures import EXCHANGEABLE, PART_IDS, PART_KINDS, SPECIES, Creature, PartKind
from understudy.worlds.part_importance import (
    AgreementSettings,
    ImportanceSettings,
    PartAgreement,
    PartImportance,
    part_agreement,
    part_importance,
    part_scores,
)

EDGE = 32
SETTINGS = ImportanceSettings(edge=EDGE)


@dataclass(frozen=True)
class PixelClassifier:
    """A logistic model of all pixels."""

    weights: Floats
    labels: tuple[str, ...] = ("species 1", "species 2")
    mean: float = 0.0

    def predict(self, inputs: Floats) -> Floats:
        share = 1 / (1 + np.exp(-(inputs.reshape(len(inputs), -1) @ self.weights - self.mean)))
        return np.stack([1 - share, share], axis=1)

    def maps(self, n: int) -> Floats:
        """How strongly the answer depends on each pixel, which for this model is the same in every picture."""
        heat = np.abs(self.weights).reshape(3, EDGE, EDGE).sum(axis=0)
        return np.tile(heat, (n, 1, 1))


def inputs_of(creatures: tuple[Creature, ...]) -> Floats:
    return model_inputs(np.stack([drawn.picture for drawn in render_creatures(creatures, edge=EDGE)]))


def two_species(n: int, seed: int) -> tuple[Creature, ...]:
    """Creatures in one pose, so that pixels are enough, in changing light; only their ears tell the species."""
    rng = np.random.default_rng(seed)
    return tuple(
        Creature(anatomy=SPECIES[k % 2], light=float(rng.uniform(0.9, 1.1)), light_side=float(rng.uniform(-0.3, 0.3)))
        for k in range(n)
    )


@cache
def trained() -> PixelClassifier:
    """Ridge regression of the species on the pixels."""
    inputs = inputs_of(two_species(60, 1)).reshape(60, -1)
    usual = inputs.mean(axis=0)
    centred, sides = inputs - usual, np.where(np.arange(60) % 2 == 1, 4.0, -4.0)
    weights = centred.T @ np.linalg.solve(centred @ centred.T + 0.5 * np.eye(60), sides)
    return PixelClassifier(weights, mean=float(usual @ weights))


@cache
def importance() -> PartImportance:
    return part_importance(trained(), two_species(12, 2), settings=SETTINGS)


def test_the_part_that_tells_the_species_matters_most_where_it_is_shown() -> None:
    found = importance()
    ears = found.kinds.index("ears")
    assert found.probability.shape == found.log_odds.shape == (12, len(PART_KINDS))
    others = np.delete(found.log_odds.mean(axis=0), ears)
    assert found.log_odds[:, ears].mean() > 5 * np.abs(others).max()


def test_importance_is_the_fall_of_the_predicted_class() -> None:
    model, creature = trained(), two_species(1, 5)
    bald = (creature[0].model_copy(update={"without": ("ears",)}),)
    before, after = model.predict(inputs_of(creature)), model.predict(inputs_of(bald))
    found = part_importance(model, creature, settings=ImportanceSettings(edge=EDGE, kinds=("ears",)))
    assert found.probability[0, 0] == pytest.approx(before[0, 0] - after[0, 0])
    assert found.log_odds[0, 0] == pytest.approx(
        np.log(before[0, 0] / before[0, 1]) - np.log(after[0, 0] / after[0, 1])
    )


def test_an_exchange_averages_over_the_other_forms() -> None:
    model = trained()
    found = part_importance(model, two_species(4, 3), settings=ImportanceSettings(change="exchange", edge=EDGE))
    assert found.kinds == EXCHANGEABLE
    assert found.log_odds.mean(axis=0).argmax() == found.kinds.index("ears")


def test_a_given_target_turns_the_sign_of_two_classes() -> None:
    model, creatures = trained(), two_species(3, 4)
    settings = ImportanceSettings(edge=EDGE, kinds=("ears", "tail"))
    first, second = (
        part_importance(model, creatures, targets=np.full(3, k), settings=settings) for k in (0, 1)
    )  # fmt: skip
    assert first.log_odds == pytest.approx(-second.log_odds)


def agreement_of(model: PixelClassifier) -> PartAgreement:
    found = importance()
    scores = part_scores(model.maps(12), found.masks, reduction="mean")
    return part_agreement(scores, np.abs(found.log_odds), is_visible=found.is_visible)


def test_a_heat_map_of_the_trained_model_agrees_with_the_importance_of_parts() -> None:
    assert agreement_of(trained()).low > 0.3


def test_heat_maps_of_randomised_models_do_not_agree() -> None:
    model, rng = trained(), np.random.default_rng(7)
    shuffled = [replace(model, weights=rng.permutation(model.weights)) for _ in range(30)]
    # Each shuffled model agrees by chance with one part or another; on average nothing is left.
    assert np.mean([agreement_of(each).correlation for each in shuffled]) == pytest.approx(0, abs=0.2)


def test_scores_add_up_the_heat_inside_each_part() -> None:
    masks = np.zeros((1, 4, 4), dtype=np.uint8)
    masks[0, 0, :2], masks[0, 3] = PART_IDS["ears"], PART_IDS["tail"]
    maps = np.ones((1, 4, 4))
    kinds: tuple[PartKind, ...] = ("ears", "tail", "back")
    assert part_scores(maps, masks, kinds=kinds).tolist() == [[2, 4, 0]]
    assert part_scores(maps, masks, kinds=kinds, reduction="mean").tolist() == [[1, 1, 0]]


def test_a_small_map_is_enlarged() -> None:
    masks = np.full((1, 8, 8), PART_IDS["body"], dtype=np.uint8)
    assert part_scores(np.full((1, 2, 2), 3.0), masks, kinds=("body",)).tolist() == [[192]]


def test_agreement_is_the_mean_of_spearman_correlations() -> None:
    rng = np.random.default_rng(3)
    scores, truth = rng.normal(size=(2, 10, 6))
    expected = [spearmanr(scores[k], truth[k]).statistic for k in range(10)]
    found = part_agreement(scores, truth, settings=AgreementSettings(n_resamples=500))
    assert found.per_picture == pytest.approx(expected)
    assert found.low < found.correlation < found.high


def test_a_constant_map_counts_as_no_agreement_and_constant_importance_is_left_out() -> None:
    scores = np.array([[1.0, 1, 1], [1, 2, 3], [1, 2, 3]])
    truth = np.array([[1.0, 2, 3], [1, 2, 3], [0, 0, 0]])
    assert part_agreement(scores, truth).per_picture == pytest.approx([0, 1])


def test_hidden_parts_do_not_count() -> None:
    scores, truth = np.array([[1.0, 2, 9], [1, 2, 9]]), np.array([[1.0, 2, 0], [1, 2, 0]])
    is_visible = np.array([[True, True, False]] * 2)
    assert part_agreement(scores, truth, is_visible=is_visible).correlation == pytest.approx(1)


@pytest.mark.parametrize(
    ("scores", "truth", "sentence"),
    [
        (np.zeros((2, 3)), np.zeros((2, 4)), "do not fit importance"),
        (np.zeros((2, 3)), np.zeros((2, 3)), "of 0 pictures only"),
    ],
)
def test_what_cannot_be_correlated_is_one_sentence(scores: Floats, truth: Floats, sentence: str) -> None:
    with pytest.raises(MaterialsError, match=sentence):
        part_agreement(scores, truth)


def test_maps_that_do_not_fit_the_masks_are_one_sentence() -> None:
    with pytest.raises(MaterialsError, match=r"Give one map \(rows, columns\) for each mask"):
        part_scores(np.zeros((2, 4, 4)), np.zeros((3, 4, 4), dtype=np.uint8))
