"""Many logistic curves at once: each as a single regression would have it."""

import numpy as np
import pytest

from understudy.statistics.regression import fit_logistic, fit_logistic_curves

RATINGS = np.arange(1.0, 8.0)


def test_each_curve_equals_the_single_regression() -> None:
    rng = np.random.default_rng(0)
    trials = rng.integers(1, 9, (20, 7)).astype(float)
    successes = rng.binomial(trials.astype(int), 1 / (1 + np.exp(-(RATINGS - 4) / 3))).astype(float)
    curves = fit_logistic_curves(successes, trials, RATINGS)
    for place in range(20):
        x = np.repeat(RATINGS, trials[place].astype(int))
        y = np.concatenate([np.arange(n) < k for k, n in zip(successes[place], trials[place], strict=True)])
        single = fit_logistic(y, np.column_stack([np.ones(x.size), x]))
        assert (curves.intercepts[place], curves.slopes[place]) == pytest.approx(tuple(single.coefficients), abs=1e-6)


@pytest.mark.parametrize("successes", [[0, 0, 0], [5, 5, 5], [0, 0, 5]])
def test_separated_answers_have_no_curve(successes: list[float]) -> None:
    curves = fit_logistic_curves(np.array([successes], dtype=float), np.full((1, 3), 5.0), np.array([1.0, 2, 3]))
    assert np.isnan(curves.rise(1, 2)).all()


def test_a_rating_that_never_varies_has_no_curve() -> None:
    curves = fit_logistic_curves(np.array([[0.0, 3, 0]]), np.array([[0.0, 5, 0]]), np.array([1.0, 2, 3]))
    assert np.isnan(curves.rise(1, 2)).all()
