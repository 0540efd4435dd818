"""A grid of power answers how many people, how many items and how much money an effect needs."""

from pathlib import Path
from typing import Any

import pytest

from tests.small_studies import two_group_plain
from tests.workflow.test_power_directions import CAREFUL, SHOWN
from understudy.actions.power import PowerQuestion, detectable_effects, needed_sizes, power_points, with_items
from understudy.cli.power import power_sentences
from understudy.schema import PowerPoint, Study


def point(quota: int, power: float, **more: Any) -> PowerPoint:
    fields: dict[str, Any] = {"hypothesis_id": "H1", "effect": 0.5, "standard_error": 0, "low": 0, "high": 1}
    return PowerPoint.model_validate(
        {**fields, "quota": quota, "power": power, "n_simulations": 9, "mean_recruited": 3.0 * quota, **more}
    )


def test_the_needed_size_lies_on_the_line_between_two_sizes() -> None:
    (needed,) = needed_sizes([point(20, 0.5, mean_cost=40), point(40, 0.9, mean_cost=80)], 0.5, 0.8)
    assert (needed.quota, needed.recruited, needed.cost) == (35, 105, 70)


def test_a_size_that_is_too_small_or_large_enough_is_said_so() -> None:
    few, many = needed_sizes([point(20, 0.5), point(20, 0.9, hypothesis_id="H2")], 0.5, 0.8)
    assert (few.quota, many.quota, many.is_bound) == (None, 20, True)


def test_a_curve_that_falls_back_below_the_target_has_not_reached_it() -> None:
    (needed,) = needed_sizes([point(20, 0.82), point(40, 0.79), point(80, 0.99)], 0.5, 0.8)
    assert needed.quota == 42


def test_the_detectable_effect_lies_between_two_effects() -> None:
    (found,) = detectable_effects(
        [point(20, 0.05, effect=0.0), point(20, 0.4, effect=0.2), point(20, 1.0, effect=0.5)], 0.8
    )
    assert found.effect == pytest.approx(0.4)


def test_sentences_name_people_items_and_money() -> None:
    points = [point(20, 0.5, n_items=12, mean_cost=40), point(40, 0.9, n_items=12, mean_cost=80)]
    assert list(power_sentences(points, smallest=0.5, target=0.8, currency="USD")) == [
        "H1 with 12 items needs 35 people per condition for 80% power for an effect of 0.5: 105 to recruit and about 70 USD."
    ]
    assert list(power_sentences(points[:1], smallest=None, target=0.8, currency="USD")) == [
        "H1 with 12 items: with 20 people per condition, no effect size you tried reaches 80% power."
    ]
    assert list(power_sentences(points[1:], smallest=None, target=0.8, currency="USD")) == [
        "H1 with 12 items: with 40 people per condition, even 0.5, the smallest effect you tried, reaches 80% power."
    ]


def paid_study() -> Study:
    plain = two_group_plain()
    return Study.model_validate({**plain, "pay": {"base": 2.0, "currency": "EUR"}})


def test_more_items_are_another_axis_and_pay_is_counted() -> None:
    study = paid_study()
    asked = PowerQuestion(study, Path(), CAREFUL, (6,), (1.0,), SHOWN, n_simulations=2, seed=4, items=(2, 4))
    found = power_points(asked, n_workers=1)
    assert [point.n_items for point in found] == [2, 4]
    assert all(point.mean_cost == pytest.approx(2 * point.mean_recruited) for point in found)


def test_only_sets_of_main_stages_grow() -> None:
    assert {items.n_items for items in with_items(paid_study(), 3).item_sets} == {3}
