"""Printed figures beside recomputed ones."""

from typing import Any

import pytest

from tests.estimate.plan_samples import hypothesis, plan, results
from understudy.errors import PlanError
from understudy.estimate import published_comparisons
from understudy.estimate.published import agrees
from understudy.schema import Description, FlowStep, ParticipantFlow, PublishedComparison, PublishedFigure

FLOW = ParticipantFlow(
    n_recruited=12,
    steps=(FlowStep(label="slow", n_left=2, n_remaining=10, by_condition={"with": 6, "without": 4}),),
    n_analysed=10,
)


def figure(value: float = 0.0, decimals: int = 2, quantity: str = "mean", **fields: Any) -> PublishedFigure:
    return PublishedFigure(label="f", value=value, decimals=decimals, quantity=quantity, **fields)


def compared(one: PublishedFigure) -> PublishedComparison:
    found = results(
        plan(hypothesis(), descriptions=(Description(description_id="d", outcome="accuracy", by=("help",)),))
    )
    return published_comparisons((one,), found, FLOW)[0]


@pytest.mark.parametrize(
    ("value", "decimals", "is_truncated", "recomputed", "expected"),
    [
        (0.54, 2, False, 0.5449, True),
        (0.54, 2, False, 0.5451, False),
        (0.54, 2, False, 0.5351, True),
        (32.8, 1, True, 32.8, True),
        (32.8, 1, True, 32.8999, True),
        (32.8, 1, True, 32.9, False),
        (32.8, 1, True, 32.79, False),
        (-1.2, 1, True, -1.29, True),
        (-1.2, 1, True, -1.19, False),
        (39, 0, False, 39.0, True),
    ],
)
def test_agreement_is_to_the_printed_digit(
    value: float, decimals: int, is_truncated: bool, recomputed: float, expected: bool
) -> None:
    assert agrees(figure(value, decimals, is_truncated=is_truncated), recomputed) is expected


def test_a_percentage_is_compared_as_one() -> None:
    share = compared(figure(description="d", group="with")).recomputed
    again = compared(figure(description="d", group="with", times=100)).recomputed
    assert again == pytest.approx(100 * (share or 0))


def test_a_standard_error_comes_from_spread_and_number() -> None:
    sd = compared(figure(description="d", group="with", quantity="sd")).recomputed
    assert compared(figure(description="d", group="with", quantity="se")).recomputed == pytest.approx(
        (sd or 0) / 6**0.5
    )


@pytest.mark.parametrize(
    ("quantity", "group", "expected"), [("n_left", None, 2), ("n_remaining", None, 10), ("n_remaining", "without", 4)]
)
def test_the_flow_can_be_compared(quantity: str, group: str | None, expected: float) -> None:
    assert compared(figure(step="slow", quantity=quantity, group=group)).recomputed == expected


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [("p_value", 0.01), ("p_adjusted", 0.01), ("n", 12), ("low", 0.0), ("half_width", 0.5), ("detail.alpha", 0.05)],
)
def test_a_test_can_be_compared(quantity: str, expected: float) -> None:
    assert compared(figure(hypothesis="h", quantity=quantity)).recomputed == expected


def test_a_number_that_does_not_exist_does_not_agree() -> None:
    one = compared(figure(hypothesis="h", quantity="df1"))
    assert (one.recomputed, one.agrees) == (None, False)


def test_a_group_that_did_not_come_out_is_refused() -> None:
    with pytest.raises(PlanError, match=r"asks for 'maybe', which was not computed\. Available: with, without\."):
        compared(figure(description="d", group="maybe"))
