"""Mixed models of many rows: a search that begins in a part of the people, and structures that are never finished."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from understudy.statistics import mixed_categories
from understudy.statistics.mixed_categories import CategoryFit, fit_category_mixed, search_category_mixed
from understudy.statistics.mixed_system import minimum
from understudy.statistics.mixed_terms import Effect, Group, Term, random_term, simplified_fit

N_PEOPLE, N_ITEMS = 240, 10
PEOPLE, ITEMS = np.repeat(np.arange(N_PEOPLE), N_ITEMS), np.tile(np.arange(N_ITEMS), N_PEOPLE)
X = np.where(PEOPLE % 2 == 0, 0.5, -0.5)
PREDICTORS = np.column_stack([np.ones(X.size), X])


def answers(n_categories: int, slope_sd: float) -> npt.NDArray[np.int64]:
    rng = np.random.default_rng(3)
    effects = rng.normal(0, 0.8, N_PEOPLE)[PEOPLE] + rng.normal(0, 0.6, N_ITEMS)[ITEMS]
    eta = 0.4 * X + effects + rng.normal(0, slope_sd, N_ITEMS)[ITEMS] * X
    ends = np.linspace(-1, 1, n_categories - 1)
    return np.searchsorted(ends, eta + rng.logistic(size=X.size)).astype(np.int64)


def terms(*, is_correlated: bool = True) -> list[Term]:
    return [random_term(PEOPLE), random_term(ITEMS, PREDICTORS, is_correlated=is_correlated)]


def assert_same(found: CategoryFit, said: CategoryFit) -> None:
    assert found.coefficients == pytest.approx(said.coefficients, rel=1e-5)
    assert found.standard_errors == pytest.approx(said.standard_errors, rel=1e-5)
    assert found.thresholds == pytest.approx(said.thresholds, rel=1e-5)
    assert found.log_likelihood == pytest.approx(said.log_likelihood, abs=1e-6)
    for covariance, other in zip(found.covariances, said.covariances, strict=True):
        assert covariance == pytest.approx(other, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("slope_sd", [0.0, 0.7])
@pytest.mark.parametrize("n_categories", [2, 4])
def test_a_search_that_begins_in_a_part_ends_where_one_in_all_rows_does(
    monkeypatch: pytest.MonkeyPatch, n_categories: int, slope_sd: float
) -> None:
    categories = answers(n_categories, slope_sd)
    said = fit_category_mixed(categories, PREDICTORS, terms())
    monkeypatch.setattr(mixed_categories, "THINNED", 400)
    assert_same(fit_category_mixed(categories, PREDICTORS, terms()), said)


def test_curvature_that_is_wrong_leads_to_the_same_minimum() -> None:
    def valley(point: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        gap = point - np.array([1.0, -2.0])
        value = float(gap[0] ** 4 / 4 + gap[0] ** 2 / 2 + 50 * gap[1] ** 2)
        return value, np.array([gap[0] ** 3 + gap[0], 100 * gap[1]])

    start = np.array([6.0, 3.0])
    for curved in (np.eye(2) * 1e-9, np.eye(2) * 1e9, np.diag([-1.0, 100.0])):
        assert minimum(valley, start, curved=curved).parameters == pytest.approx([1.0, -2.0], abs=1e-5)


def test_only_the_structure_that_is_kept_gets_errors_and_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    categories, whole, finished = answers(2, 0.0), mixed_categories._finished, []

    def noted(*given: Any) -> CategoryFit:
        finished.append(given)
        return whole(*given)

    monkeypatch.setattr(mixed_categories, "_finished", noted)
    slope = Effect("x", X[:, None], (X,))
    groups = (Group("participant", PEOPLE), Group("item", ITEMS, (slope,)))
    found, simplified = simplified_fit(lambda parts: search_category_mixed(categories, PREDICTORS, parts), groups)
    assert simplified.steps
    assert not finished
    fit = found.finished()
    assert len(finished) == 1
    assert fit.covariances[0] == pytest.approx(found.covariances[0])
    assert fit.is_singular == found.is_singular
