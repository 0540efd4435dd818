"""Rules over columns: row by row, over groups, and with missing values."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from understudy.errors import TableError
from understudy.estimate.rules import column_value, condition
from understudy.schema import rule_from_text

FRAME = pd.DataFrame(
    {
        "who": ["a", "a", "a", "b", "b"],
        "x": [1.0, 2.0, None, 4.0, 6.0],
        "word": ["yes", "no", None, "yes", "yes"],
    }
)


def values(text: str, where: str | None = None) -> list[object]:
    return list(column_value(FRAME, text, "here", by=["who"], where=where))


def test_summaries_are_given_to_every_row_of_their_group() -> None:
    assert values("sum(x)") == [3, 3, 3, 10, 10]


@pytest.mark.parametrize(
    ("text", "of_a", "of_b"),
    [
        ("mean(x)", 1.5, 5),
        ("median(x)", 1.5, 5),
        ("min(x)", 1, 4),
        ("max(x)", 2, 6),
        ("count(x)", 2, 2),
        ("count()", 3, 2),
        ("count(x > 1)", 1, 2),
        ("nunique(word)", 2, 1),
        ("first(word)", "yes", "yes"),
        ("last(x)", 2, 6),
        ("sd(x)", np.std([1, 2], ddof=1), np.std([4, 6], ddof=1)),
        ("any(x > 5)", False, True),
        ("any(x)", True, True),
        ("all(x > 3)", False, True),
        ("all(x)", True, True),
        ("sum(x > 1) + count(word == 'yes')", 2, 4),
        ("count(missing(x))", 1, 0),
        ("round(mean(x))", 2, 5),
    ],
)
def test_each_summary(text: str, of_a: object, of_b: object) -> None:
    found = values(text)
    assert (found[0], found[-1]) == (of_a, of_b)


def test_where_limits_what_is_summarised_and_not_who_gets_it() -> None:
    assert values("count()", where="x > 1") == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("text", "of_no_rows", "of_rows_without_values"),
    [("count(x > 1)", 0, None), ("count(x)", 0, 0), ("sum(x)", 0, None), ("any(x > 1)", False, None),
     ("all(x > 1)", False, None), ("mean(x)", None, None), ("max(x)", None, None)],
)  # fmt: skip
def test_no_rows_are_not_the_same_as_rows_without_values(
    text: str, of_no_rows: Any, of_rows_without_values: Any
) -> None:
    frame = pd.DataFrame({"who": ["a", "b", "c"], "x": [4.0, None, 6.0], "kind": ["main", "main", "practice"]})
    found = column_value(frame, text, "here", by=["who"], where="kind == 'main'").tolist()
    assert [None if pd.isna(value) else value for value in found[1:]] == [of_rows_without_values, of_no_rows]


def test_rows_and_summaries_mix() -> None:
    assert values("x - min(x)")[:2] == [0, 1]


def test_without_groups_where_limits_who_gets_a_value() -> None:
    found = column_value(FRAME, "x * 10", "here", where="who == 'b'")
    assert found.isna().tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    "rule", ["x != 1", "x == 1", "x > 1", "not (x > 1)", "word != 'yes'", "word in ['yes']", "missing(x)", "x + 1 != 2"]
)
def test_columns_and_single_sessions_obey_the_same_rule(rule: str) -> None:
    one_by_one = [
        rule_from_text(rule)({str(name): None if pd.isna(value) else value for name, value in row.items()})
        for row in FRAME.to_dict("records")
    ]
    assert condition(FRAME, rule, "here").tolist() == one_by_one


def test_division_by_zero_is_missing() -> None:
    assert column_value(FRAME, "x / (x - 1)", "here").isna().tolist() == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x + 1", "here: 'x + 1' is a value and not a condition. Write a comparison, such as 'x > 1'."),
        (
            "word > 3",
            "here: 'word > 3' cannot be computed. It does arithmetic or an ordering on text: 'word' holds 'yes'.",
        ),
        ("mean(x) > 1", "here: 'mean(x) > 1' summarises rows with mean, but no groups are named. Add `by`."),
        ("y > 1", "here: y is not a column here, or differs between a participant's rows."),
    ],
)
def test_a_rule_that_cannot_be_computed_says_why(text: str, sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        condition(FRAME, text, "here")
    assert str(caught.value) == sentence
