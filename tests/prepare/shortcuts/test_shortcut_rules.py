"""Rules are scored on items they were not fitted to."""

import numpy as np
import pytest

from understudy.check.shortcut_rules import Marks, best_cut, left_out_by_cut, left_out_by_majority, left_out_by_weights


def yes_no(*marks: int) -> Marks:
    return np.array(marks, dtype=bool)[:, None]


def test_a_threshold_that_holds_for_the_others_holds_for_the_one_left_out() -> None:
    values = np.array([1, 1, 2, 2, 3, 3], dtype=np.float64)
    assert left_out_by_cut(values, yes_no(0, 0, 1, 1, 1, 1))[0] == 1
    assert best_cut(values, yes_no(0, 0, 1, 1, 1, 1)[:, 0]) == (2.0, True)


def test_edits_of_the_published_items_give_away_72_per_cent() -> None:
    values = np.repeat([1.0, 2, 3, 1, 2, 3], [9, 4, 3, 2, 9, 5])
    keeps = np.repeat([True, False], 16)
    assert left_out_by_cut(values, keeps[:, None])[0] == pytest.approx(23 / 32)


def test_a_column_of_noise_is_right_no_more_than_half_of_the_time() -> None:
    rng = np.random.default_rng(1)
    targets = np.column_stack([rng.permutation(np.arange(40) % 2 == 0) for _ in range(400)])
    assert 0.4 < left_out_by_cut(rng.normal(size=40), targets).mean() < 0.51
    assert 0.4 < left_out_by_weights(rng.normal(size=(40, 6)), targets).mean() < 0.51


def test_the_majority_of_balanced_answers_is_wrong_about_the_one_left_out() -> None:
    assert left_out_by_majority(yes_no(0, 1, 0, 1))[0] == 0
    assert left_out_by_majority(yes_no(1, 1, 1, 0))[0] == pytest.approx(0.75)


def test_weights_from_leverage_equal_weights_fitted_without_the_item() -> None:
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(24, 3))
    target = columns @ [1.0, -1.0, 0.5] + rng.normal(size=24) > 0
    standard = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    design = np.column_stack([np.ones(24), standard])
    wanted = np.where(target, 1.0, -1.0)
    n_right = 0
    for k in range(24):
        rest = np.arange(24) != k
        penalty = np.diag([0.0, 1, 1, 1])
        weights = np.linalg.solve(design[rest].T @ design[rest] + penalty, design[rest].T @ wanted[rest])
        n_right += bool((design[k] @ weights > 0) == target[k])
    assert left_out_by_weights(columns, target[:, None])[0] == pytest.approx(n_right / 24)
