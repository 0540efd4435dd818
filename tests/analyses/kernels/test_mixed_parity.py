"""Mixed models with slopes equal lme4, lmerTest, ordinal, emmeans and afex on ten data sets."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from understudy.statistics.mixed_categories import CategoryFit, fit_category_mixed
from understudy.statistics.mixed_linear import LinearFit, fit_linear_mixed, lmm_f_test, lmm_t_test
from understudy.statistics.mixed_terms import Term, random_term

FOLDER = Path(__file__).parents[2] / "reference"
VALUES = json.loads((FOLDER / "mixed.json").read_text())["values"]
# Fixed effects; columns of people's and of items' random effects next to the intercept; whether they may correlate.
MODELS: dict[str, tuple[list[str], list[str], list[str], bool]] = {
    "within": (["a"], ["a"], ["a"], True),
    "between": (["a"], [], ["a"], True),
    "item": (["a"], ["a"], [], True),
    "three": (["a", "b"], ["a", "b"], [], True),
    "interaction": (["a", "group", "a:group"], ["a"], ["group"], True),
    "covariate": (["a", "age"], ["a"], ["a"], True),
    "missing": (["a"], ["a"], ["a"], False),
    "singular": (["a"], [], [], True),
    "few": (["a"], ["a"], [], False),
    "wide": (["a"], [], ["a"], True),
}
Floats = npt.NDArray[np.float64]


def table(name: str) -> pd.DataFrame:
    rows = pd.read_csv(FOLDER / "inputs" / f"mixed_{name}.csv")
    return rows.assign(**{"a:group": rows.a * rows.group})


def design(name: str) -> tuple[pd.DataFrame, Floats, list[Term]]:
    rows, (fixed, people, items, is_correlated) = table(name), MODELS[name]
    x, p, i = (np.column_stack([np.ones(len(rows)), rows[part]]) for part in (fixed, people, items))
    terms = [random_term(rows[g], z, is_correlated=is_correlated) for g, z in (("person", p), ("item", i))]
    return rows, x, terms


def covariance_entries(covariance: Floats, *, is_correlated: bool) -> Floats:
    return covariance.T[np.triu_indices(len(covariance))] if is_correlated else np.diag(covariance)


def assert_close(found: npt.ArrayLike, said: npt.ArrayLike, unit: npt.ArrayLike = 0.0) -> None:
    """Compare to four digits; a number close to zero is compared with the unit it is read in, such as its error."""
    expected = np.asarray(said, dtype=np.float64)
    gaps = np.abs(np.asarray(found, dtype=np.float64) - expected) / np.maximum(np.abs(expected), unit)
    assert gaps.max() < 1e-4, gaps


def check(fit: LinearFit | CategoryFit, name: str, said: dict[str, list[float]]) -> None:
    # clmm has thresholds in the place of an intercept.
    n_said = len(said["coefficients"])
    assert_close(fit.coefficients[-n_said:], said["coefficients"], said["errors"])
    assert_close(fit.standard_errors[-n_said:], said["errors"])
    # R is polished until its likelihood is highest, and ours is never lower.
    assert abs(fit.log_likelihood - said["log_likelihood"][0]) < 1e-7
    for covariance, group in zip(fit.covariances, ("person", "item"), strict=True):
        spreads = np.sqrt(np.diag(covariance))
        entries, units = (
            covariance_entries(part, is_correlated=MODELS[name][3])
            for part in (covariance, np.maximum(np.outer(spreads, spreads), 1e-6))
        )
        assert_close(entries, said[group], units)


@pytest.mark.parametrize("method", ["REML", "ML"])
@pytest.mark.parametrize("name", MODELS)
def test_linear_fits_equal_lmer(name: str, method: str) -> None:
    rows, x, terms = design(name)
    fit = fit_linear_mixed(rows.score, x, terms, method="ML" if method == "ML" else "REML")
    check(fit, name, VALUES[f"linear_{name}" if method == "REML" else f"linear_{name}_ml"])


@pytest.mark.parametrize("name", MODELS)
def test_degrees_of_freedom_and_p_values_equal_lmer_test(name: str) -> None:
    rows, x, terms = design(name)
    fit, said = fit_linear_mixed(rows.score, x, terms), VALUES[f"linear_{name}"]
    tests = [lmm_t_test(fit, contrast) for contrast in np.eye(x.shape[1])]
    assert_close([test.df for test in tests], said["df"])
    assert_close([test.statistic for test in tests], said["t"], 1.0)
    assert_close([test.p_value for test in tests], said["p"])


@pytest.mark.parametrize("name", MODELS)
def test_logistic_fits_equal_glmer(name: str) -> None:
    rows, x, terms = design(name)
    check(fit_category_mixed(rows.yes, x, terms, method="ML"), name, VALUES[f"logistic_{name}"])


@pytest.mark.parametrize("name", MODELS)
def test_ordinal_fits_equal_clmm(name: str) -> None:
    rows, x, terms = design(name)
    fit, said = fit_category_mixed(rows.rating - 1, x, terms, method="ML"), VALUES[f"ordinal_{name}"]
    check(fit, name, said)
    assert_close(fit.thresholds - fit.coefficients[0], said["thresholds"], said["threshold_errors"])
    assert fit.standard_errors[0] == pytest.approx(said["threshold_errors"][0], rel=1e-4)
    assert_close([lmm_t_test(fit, contrast).p_value for contrast in np.eye(x.shape[1])[1:]], said["p"])


def test_a_joint_test_equals_lmer_test() -> None:
    rows, x, terms = design("three")
    test, said = lmm_f_test(fit_linear_mixed(rows.score, x, terms), np.eye(3)[1:]), VALUES["means_three"]
    assert_close(test.statistic, said["f"][0])
    # lmerTest takes these degrees of freedom from its own, unpolished fit.
    assert test.error_df == pytest.approx(said["error_df"][0], rel=2e-3)


def test_interactions_equal_afex() -> None:
    rows, x, terms = design("interaction")
    fit, said = fit_linear_mixed(rows.score, x, terms), VALUES["afex_interaction"]
    tests = [lmm_t_test(fit, contrast) for contrast in np.eye(4)[1:]]
    assert_close([test.statistic**2 for test in tests], said["f"], 1.0)
    assert_close([test.df for test in tests], said["error_df"])
