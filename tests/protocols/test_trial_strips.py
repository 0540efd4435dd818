"""Strips over single trials: people count once, whatever the number of their trials."""

import pandas as pd
import pytest

from understudy.protocols.paper_comparison import strip_rows
from understudy.report import Strip

BY_DIAL = Strip("By dial", "by_truth", "right", ("judge",), ("task",), truth="dial_name", only=("model", "gt"))
LEARNING = Strip("Learning", "first_and_last", "right", ("judge",), ("model",))


def trials(rights: dict[str, list[int]], **columns: object) -> pd.DataFrame:
    rows = [
        {"session": session, "block": "judge", "position": k, "right": float(right), "task": "exemplars",
         "model": "gt", "truth.dial_name": "slope", **columns}
        for session, answers in rights.items()
        for k, right in enumerate(answers)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_means_are_taken_over_people() -> None:
    (row,) = strip_rows(trials({"a": [1, 1, 1, 1], "b": [0]}), BY_DIAL)
    assert (row.label, row.mean, row.n) == ("exemplars, slope", 0.5, 2)
    assert row.se == pytest.approx(0.5)


def test_only_the_wanted_level_is_drawn() -> None:
    assert strip_rows(trials({"a": [1]}, model="ae"), BY_DIAL) == []


def test_other_blocks_do_not_count() -> None:
    assert strip_rows(trials({"a": [1]}, block="practice"), BY_DIAL) == []


def test_the_middle_question_is_left_out_of_first_and_last() -> None:
    rows = strip_rows(trials({"a": [0, 0, 1, 1, 1], "b": [0, 1, 0, 1, 1]}), LEARNING)
    assert [(row.series, row.mean) for row in rows] == [("first questions", 0.25), ("last questions", 1.0)]
