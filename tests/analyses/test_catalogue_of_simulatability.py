"""The first phase, ratings and regression to the mean through the catalogue, against R."""

import numpy as np
import pytest

from tests.analyses.reference_rows import estimate, limits
from tests.analyses.simulated_responses import CHANGE, R, phases, rated
from understudy import registry
from understudy.errors import UnknownName
from understudy.schema import Ref

PUBLISHED = {"rating": "within", "method": "published", "between": "method"}


def test_the_first_phase_is_glmers() -> None:
    rows = phases()
    found = estimate("logistic_groups", rows[rows["phase"] == "before"], factor="method")
    expected = R["first_phase"]
    assert found.effect == pytest.approx(expected["sd"], rel=1e-4)
    assert found.details["log_odds"] == pytest.approx(expected["intercept"], rel=1e-4)
    assert found.details["log_likelihood"] == pytest.approx(expected["log_likelihood"], rel=1e-7)
    assert [group.mean for group in found.groups] == pytest.approx(expected["shares"], rel=1e-4)


def test_the_first_phase_with_people_and_items_is_glmers() -> None:
    rows = phases()
    params = {"random": ["participant", "item"]}
    found = estimate("logistic_groups", rows[rows["phase"] == "before"], params=params, factor="method")
    expected = R["first_phase_crossed"]
    sds = [found.effect or 0, *((found.details[f"variance_{name}"] or 0) ** 0.5 for name in params["random"])]
    assert sds == pytest.approx(expected["sds"], rel=1e-3)
    assert found.details["log_likelihood"] == pytest.approx(expected["log_likelihood"], rel=1e-6)


def test_groups_that_do_not_differ_have_a_variance_of_zero_and_no_small_p() -> None:
    rows = phases()
    before = rows[rows["phase"] == "before"]
    mixed = before.assign(method=np.where(before["item"] % 2, "a", "b"), value=(before["item"] // 2) % 2)
    found = estimate("logistic_groups", mixed, factor="method")
    assert found.effect == 0
    assert found.p_value == 1
    assert "variance between groups is zero" in found.notes[0]


@pytest.mark.parametrize(
    ("params", "field"), [({}, "absolute"), ({"rating": "within"}, "within_person"), (PUBLISHED, "within_cell")]
)
def test_gains_by_rating_are_those_of_r(params: dict[str, str], field: str) -> None:
    found = estimate("rating_gain", rated(), params=params | {"n_resamples": 200}, other="rating")
    assert found.effect == pytest.approx(R["ratings"][field], rel=1e-6)


def test_the_gain_is_bootstrapped_by_people_as_in_r() -> None:
    found = estimate("rating_gain", rated(), other="rating")
    spread, *ends = R["ratings"]["bootstrap"]
    assert found.details["standard_error"] == pytest.approx(spread, rel=0.06)
    assert limits(found) == pytest.approx(tuple(ends), abs=0.005)


def test_cells_whose_ratings_do_not_vary_are_left_out_and_counted() -> None:
    found = estimate("rating_gain", rated(), params=PUBLISHED | {"n_resamples": 200}, other="rating")
    assert found.n_rows == R["ratings"]["n_within_cell"]
    assert f"Left out: {592 - found.n_rows} of 592 rows" in found.notes[0]


def test_the_published_gain_needs_conditions() -> None:
    with pytest.raises(UnknownName, match="name the factor in `between`"):
        registry.create("analyses", Ref(name="rating_gain", params={"method": "published"}))


def test_the_slope_of_change_on_the_start_is_that_of_lm() -> None:
    found = estimate("regression_to_mean", phases(), params={"between": "method"}, **CHANGE)
    expected = R["to_the_mean"]
    ours = found.effect, found.details["standard_error"], found.statistic, found.p_value
    assert ours == pytest.approx((expected["slope"], expected["standard_error"], expected["t"], expected["p"]))


def test_the_largest_change_is_named_with_where_it_started() -> None:
    found = estimate("regression_to_mean", phases(), params={"between": "method"}, **CHANGE)
    rows = phases()
    before = rows[rows["phase"] == "before"]
    above = before.loc[before["method"] == "lime", "value"].mean() - before["value"].mean()
    assert found.details["its_start_above_mean"] == pytest.approx(above)
    assert any("largest Change is that of lime" in note for note in found.notes)


def test_people_with_few_pairs_are_left_out_of_the_line() -> None:
    found = estimate("regression_to_mean", phases(), params={"min_items": 20}, **CHANGE)
    assert 0 < (found.details["n_people"] or 0) < 21
    assert any("fewer than 20 pairs" in note for note in found.notes)


def test_a_line_through_too_few_people_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        estimate("regression_to_mean", phases(), params={"min_items": 33}, **CHANGE)
