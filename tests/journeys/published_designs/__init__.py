"""Every row of the table of published designs, written as a study."""

from tests.journeys.published_designs.hive import hive_all
from tests.journeys.published_designs.hypoml import hml
from tests.journeys.published_designs.interactive_reconstruction import ir1, ir2, ir3, ir4
from tests.journeys.published_designs.simulatability import sim
from tests.journeys.published_designs.two4two import t42_1, t42_2
from understudy.schema import Study

__all__ = ["all_designs", "hive_all", "hml", "ir1", "ir2", "ir3", "ir4", "sim", "t42_1", "t42_2"]


def all_designs() -> list[Study]:
    """Every row, the nineteen HIVE studies included."""
    return [ir1(), ir2(), ir3(), ir4(), t42_1(), t42_2(), *hive_all(), sim(), hml()]
