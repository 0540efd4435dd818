"""The language of rules: what holds, what is missing, what may not be said, for one session and for columns."""

from typing import Any

import pandas as pd
import pytest
from pydantic import TypeAdapter, ValidationError

from understudy.estimate.columns import condition
from understudy.schema import Expression, functions_in, names_in, rule_from_text

QUANTITIES: dict[str, Any] = {"n": 3.0, "zero": 0.0, "word": "b", "flag": True, "gone": None, "lost": None}

HOLDS = (
    "n == 3", "n != 4", "n < 4", "n <= 3", "n > 2", "n >= 3", "2 < n < 4", "2 < n <= 3 < 5", "word == 'b'",
    "word in ['a', 'b']", "word in ('a', 'b')", "word not in ['a', 'c']", "n in [1, 2, 3]",
    "flag == true", "flag != false", "flag", "not flag == false", "n", "not zero",
    "n + 1 == 4", "n - 1 == 2", "n * 2 == 6", "n / 2 == 1.5", "n // 2 == 1", "n % 2 == 1", "n ** 2 == 9", "-n == -3",
    "1 + 2 * n == 7", "(1 + 2) * n == 9", "2 ** 3 ** 1 == 8", "-2 ** 2 == -4",
    "n == 3 or n == 4 and n == 5", "not n == 4 and n == 3", "n > 2 and word == 'b' and flag",
    "abs(2 - n) == 1", "round(n / 7, 2) == 0.43", "round(n / 2.1) == 1", "missing(gone)", "not missing(n)",
    "gone > 1 or n == 3", "not gone > 1", "  n == 3\n",
)  # fmt: skip
FAILS = (
    "n != 3", "2 < n < 3", "4 < n < 5", "word not in ['b']", "n == 4 and n == 3", "(n == 3 or n == 4) and n == 5",
    "not n", "zero", "flag and zero", "n == 'three'",
    "gone == 1", "gone != 1", "gone < 1", "gone >= 1", "gone == lost", "gone != lost", "1 < gone < 5", "n < 5 < gone",
    "gone in [1, 2]", "gone not in [1, 2]", "gone", "not gone", "gone and n == 3", "missing(n)",
    "gone + 1 > 0", "-gone < 5", "abs(gone) >= 0", "round(gone) >= 0", "n / zero > 0", "n % zero >= 0",
    "n / zero != 1", "(-8) ** 0.5 != 1", "10.0 ** 400 > 1",
)  # fmt: skip


@pytest.mark.parametrize("text", HOLDS)
def test_a_rule_holds(text: str) -> None:
    assert rule_from_text(text)(QUANTITIES)


@pytest.mark.parametrize("text", FAILS)
def test_a_rule_does_not_hold(text: str) -> None:
    assert not rule_from_text(text)(QUANTITIES)


MISSING = ("x == 1", "x != 1", "x < 1", "x <= 1", "x > 1", "x >= 1", "0 < x < 5", "x in [1, 2]", "x not in [1, 2]",
           "x + 1 > 0", "x != y", "x == y", "not x > 1", "missing(x)", "missing(x) or x > 1", "abs(x) > 0",
           "x / 0 > 1", "1 / (x - 2) != 5")  # fmt: skip


@pytest.mark.parametrize("text", MISSING)
def test_one_session_and_whole_columns_agree(text: str) -> None:
    rows: list[dict[str, Any]] = [{"x": x, "y": y} for x in (1.0, 2.0, None) for y in (1.0, None)]
    columns = pd.DataFrame(rows, dtype=float)
    one_by_one = [rule_from_text(text)(row) for row in rows]
    assert condition(columns, text, "a test").tolist() == one_by_one


@pytest.mark.parametrize("text", ["w == 'a'", "w != 'a'", "w in ['a']", "w not in ['a']", "missing(w)"])
def test_one_session_and_columns_of_text_agree(text: str) -> None:
    words = ["a", "b", None]
    one_by_one = [rule_from_text(text)({"w": word}) for word in words]
    assert condition(pd.DataFrame({"w": pd.Series(words, dtype="str")}), text, "a test").tolist() == one_by_one


FORBIDDEN = {
    "__import__('os')": "calls something unknown",
    "open('x')": "calls something unknown",
    "abs.real(n)": "calls something unknown",
    "round(n, ndigits=1)": "calls something unknown",
    "n.real > 1": "uses Attribute",
    "lambda: 1": "uses Lambda",
    "n[0] > 1": "uses Subscript",
    "[k for k in n]": "uses ListComp",
    "{'a': 1}": "uses Dict",
    "{1, 2}": "uses Set",
    "f'{n}' == 'a'": "uses JoinedStr",
    "(m := n) > 1": "uses NamedExpr",
    "1 if n else 2": "uses IfExp",
    "n is 3": "uses Is",
    "abs(*n)": "uses Starred",
    "~n": "uses Invert",
    "n & 1": "uses BitAnd",
    "n == None": "compares with None",
    "n == b'a'": "compares with b'a'",
    "n == 2j": "compares with 2j",
    "n == ...": "compares with Ellipsis",
    "abs()": "gives abs 0 arguments, but it takes 1",
    "round(n, 1, 2)": "gives round 3 arguments, but it takes 1 or 2",
    "n in 'abc'": "looks for something in what is not a list",
    "n not in 3": "looks for something in what is not a list",
    "": "is not a rule",
    "n <": "is not a rule",
    "n = 3": "is not a rule",
    "import os": "is not a rule",
    "n > 1; n < 2": "is not a rule",
    "n\x00": "is not a rule",
}


@pytest.mark.parametrize("text", FORBIDDEN)
def test_what_a_rule_may_not_say_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Expression).validate_python(text)
    assert FORBIDDEN[text] in str(raised.value)


def test_names_leave_out_functions_and_truth() -> None:
    assert names_in("mean(x) > 2 and y == true and abs(z - x) in [1, w]") == {"x", "y", "z", "w"}


def test_functions_are_those_that_are_called() -> None:
    assert functions_in("mean(x) > 2 and abs(mean) < 1") == {"mean", "abs"}
