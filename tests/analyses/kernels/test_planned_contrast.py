"""Planned contrasts against a linear model and Student's t."""

import math

import numpy as np
import pytest
import statsmodels.api as sm

from understudy.statistics.multiple_comparisons import planned_contrast
from understudy.statistics.t_tests import t_test_independent

RNG = np.random.default_rng(4)
FIRST, SECOND, THIRD = (RNG.normal(mean, 1.0, n) for mean, n in ((0.0, 12), (0.7, 9), (1.5, 15)))


def test_two_groups_alone_give_student_s_t() -> None:
    contrast, student = planned_contrast(FIRST, SECOND, []), t_test_independent(FIRST, SECOND)
    assert (contrast.statistic, contrast.p_value) == pytest.approx((student.statistic, student.p_value))


def test_three_groups_give_the_contrast_of_a_linear_model() -> None:
    values = np.concatenate([FIRST, SECOND, THIRD])
    cells = np.repeat(np.eye(3), [12, 9, 15], axis=0)
    model = sm.OLS(values, cells).fit().t_test([1, -1, 0])
    test = planned_contrast(FIRST, SECOND, [THIRD])
    assert test.statistic == pytest.approx(model.tvalue.item())
    assert test.p_value == pytest.approx(model.pvalue.item())
    assert tuple(test.interval) == pytest.approx(tuple(model.conf_int()[0]))


def test_groups_without_spread_have_no_test() -> None:
    test = planned_contrast([1.0, 1.0], [2.0, 2.0], [[3.0, 3.0]])
    assert test.estimate == -1
    assert math.isnan(test.p_value)
