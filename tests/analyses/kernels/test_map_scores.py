"""Automatic scores of maps, against answers that follow from their definitions."""

import numpy as np
import pytest

from understudy.statistics.arrays import Bools, Floats
from understudy.statistics.correlation import item_correlation, pearson
from understudy.statistics.heat_maps import (
    area_under,
    energy_inside,
    map_similarity,
    overlap_with_region,
    perturbation_curves,
    pointing_game,
)

LEFT = np.zeros((4, 6), dtype=bool)
LEFT[:, :3] = True


def peak(row: int, column: int) -> Floats:
    grid = np.full((4, 6), 0.1)
    grid[row, column] = 1.0
    return grid


def test_the_pointing_game_is_won_inside_and_lost_outside() -> None:
    assert (pointing_game(peak(1, 2), LEFT), pointing_game(peak(1, 3), LEFT)) == (1.0, 0.0)


def test_two_equal_peaks_count_half_each() -> None:
    assert pointing_game(np.maximum(peak(0, 0), peak(0, 5)), LEFT) == 0.5


def test_a_flat_map_points_nowhere_and_has_no_energy() -> None:
    flat = np.zeros((4, 6))
    assert np.isnan([pointing_game(flat, LEFT), energy_inside(flat, LEFT), overlap_with_region(flat, LEFT)]).all()


def test_the_energy_of_an_even_map_is_the_share_of_the_region() -> None:
    assert energy_inside(np.ones((4, 6)), LEFT) == pytest.approx(0.5)


def test_negative_values_have_no_energy() -> None:
    assert energy_inside(np.where(LEFT, 1.0, -5.0), LEFT) == 1.0


@pytest.mark.parametrize(("threshold", "expected"), [(0.0, 0.5), (0.5, 1.0), (0.95, 1.0)])
def test_the_overlap_depends_on_the_stated_threshold(threshold: float, expected: float) -> None:
    assert overlap_with_region(np.where(LEFT, 1.0, 0.3), LEFT, threshold=threshold) == pytest.approx(expected)


def test_the_overlap_of_half_a_region_is_one_half() -> None:
    upper = LEFT & (np.arange(4) < 2)[:, None]
    assert overlap_with_region(upper.astype(float), LEFT) == pytest.approx(0.5)


@pytest.mark.parametrize("region", [np.zeros((4, 6), dtype=bool), np.ones((3, 3), dtype=bool)])
def test_a_region_that_does_not_fit_is_refused(region: Bools) -> None:
    with pytest.raises(ValueError, match="region"):
        energy_inside(peak(0, 0), region)


def left_half_light(pictures: Floats) -> Floats:
    return np.asarray(pictures[:, :, :, :3].mean(axis=(1, 2, 3)))


def test_a_map_of_what_the_model_looks_at_deletes_fast_and_inserts_fast() -> None:
    picture = np.ones((3, 4, 6))
    good = perturbation_curves(LEFT.astype(float), picture, left_half_light, n_steps=24)
    bad = perturbation_curves((~LEFT).astype(float), picture, left_half_light, n_steps=24)
    # All that counts goes in the first half: a triangle over one half, or a half and a triangle.
    assert [area_under(curve) for curve in good] == pytest.approx([0.25, 0.75])
    assert [area_under(curve) for curve in bad] == pytest.approx([0.75, 0.25])


def test_curves_run_from_the_whole_picture_to_the_blank_one() -> None:
    curves = perturbation_curves(peak(0, 0), np.ones((1, 4, 6)), left_half_light, n_steps=5)
    assert (curves.deletion[0], curves.deletion[-1]) == (1.0, 0.0)
    assert (curves.insertion[0], curves.insertion[-1]) == (0.0, 1.0)


def test_similar_maps_correlate_by_rank_alone() -> None:
    values = np.random.default_rng(1).normal(size=(5, 5))
    assert map_similarity(values, np.exp(values)) == pytest.approx(1.0)
    assert map_similarity(values, -values) == pytest.approx(-1.0)


def test_the_item_correlation_is_that_of_the_item_means() -> None:
    rng = np.random.default_rng(2)
    scores, answers = rng.random(12), rng.random((7, 12))
    answers[rng.random(answers.shape) < 0.2] = np.nan
    found = item_correlation(scores, answers, rng=rng, n_resamples=10)
    assert found.r == pytest.approx(pearson(scores, np.nanmean(answers, axis=0)).r)


@pytest.mark.parametrize("slope", [0.0, 1.5])
def test_intervals_for_people_and_items_hold_the_truth_nearly_always(slope: float) -> None:
    rng = np.random.default_rng(3)
    n_held, n_runs, n_items = 0, 60, 40
    # The correlation of the expected item means with the scores, for scores and item effects of variance 1.
    truth = slope / np.sqrt(slope**2 + 1)
    for _ in range(n_runs):
        scores = rng.normal(size=n_items)
        means = slope * scores + rng.normal(size=n_items)
        answers = means + rng.normal(size=(30, 1)) + rng.normal(scale=0.5, size=(30, n_items))
        low, high = item_correlation(scores, answers, rng=rng, n_resamples=300).interval
        n_held += low <= truth <= high
    assert n_held >= 51


def test_a_constant_score_has_no_correlation() -> None:
    answers = np.random.default_rng(4).random((5, 6))
    assert np.isnan(item_correlation(np.ones(6), answers, rng=np.random.default_rng(1), n_resamples=10).r)


def test_an_item_without_answers_is_refused() -> None:
    answers = np.full((3, 4), np.nan)
    with pytest.raises(ValueError, match="4 items have no answer"):
        item_correlation([1, 2, 3, 4], answers, rng=np.random.default_rng(1))
