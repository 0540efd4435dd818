import pytest

from understudy.report import theme
from understudy.schema import Interval


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (0.12345, "0.123"),
        (-0.5, "−0.500"),
        (12.345, "12.3"),
        (1234.56, "1,235"),
        (0.0000123, "1.23 × 10⁻⁵"),
        (None, "—"),
    ],
)
def test_numbers_have_three_significant_digits(value: float | None, written: str) -> None:
    assert theme.number(value) == written


def test_a_number_that_rounds_to_zero_has_no_minus() -> None:
    assert theme.number(-0.0004, decimals=2) == "0.00"


@pytest.mark.parametrize(
    ("p", "written"),
    [(0.0, "p < .001"), (0.00099, "p < .001"), (0.001, "p = .001"), (0.0342, "p = .034"), (1.0, "p > .999")],
)
def test_p_values_are_exact_down_to_a_thousandth(p: float, written: str) -> None:
    assert theme.p_value(p) == written


def test_an_estimate_and_its_interval_share_their_decimals() -> None:
    span = Interval(low=-0.0204, high=1.31, level=0.95)
    assert theme.value_with_interval(0.7424, span) == "0.74, 95% CI [−0.02, 1.31]"


def test_open_intervals_run_to_infinity() -> None:
    assert theme.interval(Interval(low=None, high=0.2, level=0.9)) == "(−∞, 0.200]"


@pytest.mark.parametrize(("df", "written"), [(14.0, "14"), (47.318, "47.32"), (1200.0, "1200"), (1070.9999, "1071")])
def test_degrees_of_freedom_are_whole_where_they_can_be(df: float, written: str) -> None:
    assert theme.degrees(df) == written
