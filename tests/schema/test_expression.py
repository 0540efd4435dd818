"""The language of rules: what holds, what is missing, what may not be said, for one session and for columns."""

import json
from itertools import product
from math import isfinite
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.front_end_scripts import npm_run
from understudy.errors import TableError
from understudy.estimate.rules import column_value, condition
from understudy.protocols.ready import ready_names, ready_study
from understudy.schema import Expression, blocks_in, functions_in, names_in, rule_from_text
from understudy.serve.static_needs import tree_of_rule

QUANTITIES: dict[str, Any] = {"n": 3.0, "zero": 0.0, "word": "b", "flag": True, "gone": None, "lost": None}

HOLDS = (
    "n == 3", "n != 4", "n < 4", "n <= 3", "n > 2", "n >= 3", "2 < n < 4", "2 < n <= 3 < 5", "word == 'b'",
    "word in ['a', 'b']", "word in ('a', 'b')", "word not in ['a', 'c']", "n in [1, 2, 3]",
    "flag == true", "flag != false", "flag", "not flag == false", "n", "not zero",
    "n + 1 == 4", "n - 1 == 2", "n * 2 == 6", "n / 2 == 1.5", "n // 2 == 1", "n % 2 == 1", "n ** 2 == 9", "-n == -3",
    "1 + 2 * n == 7", "(1 + 2) * n == 9", "2 ** 3 ** 1 == 8", "-2 ** 2 == -4",
    "n == 3 or n == 4 and n == 5", "not n == 4 and n == 3", "n > 2 and word == 'b' and flag",
    "abs(2 - n) == 1", "round(n / 7, 2) == 0.43", "round(n / 2.1) == 1", "missing(gone)", "not missing(n)",
    "gone > 1 or n == 3", "  n == 3\n", "(n == 3) + flag + (word == 'a') == 2", "-(n == 3) == -1",
    "word + 'c' == 'bc'", "'a' < word", "(n and 4) == 4", "(zero or n) == 3", "word in [missing(n), 'b']",
)  # fmt: skip
FAILS = (
    "n != 3", "2 < n < 3", "4 < n < 5", "word not in ['b']", "n == 4 and n == 3", "(n == 3 or n == 4) and n == 5",
    "not n", "zero", "flag and zero", "n == 'three'",
    "gone == 1", "gone != 1", "gone < 1", "gone >= 1", "gone == lost", "gone != lost", "1 < gone < 5", "n < 5 < gone",
    "gone in [1, 2]", "gone not in [1, 2]", "gone", "not gone", "gone and n == 3", "missing(n)",
    "gone + 1 > 0", "-gone < 5", "abs(gone) >= 0", "round(gone) >= 0", "n / zero > 0", "n % zero >= 0",
    "n / zero != 1", "(-n) ** 0.5 != 1", "n ** 1000 > 1", "n ** n ** n ** n ** n > 1", "not gone > 1", "not gone == 1",
    "word > 1", "word * 2 == 'bb'", "not word > 1", "n in [gone, 4]", "n not in [gone, 4]", "n == 4 and gone > 1",
)  # fmt: skip


@pytest.mark.parametrize("text", HOLDS)
def test_a_rule_holds(text: str) -> None:
    assert rule_from_text(text)(QUANTITIES)


@pytest.mark.parametrize("text", FAILS)
def test_a_rule_does_not_hold(text: str) -> None:
    assert not rule_from_text(text)(QUANTITIES)


SAMPLES: tuple[Any, ...] = (0.0, 1.0, -2.5, 3.0, 1e200, True, False, "", "a", "b7", None)
OPERATORS = (
    "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x == y", "x != y", "x < y", "x <= y", "x > y",
    "x >= y", "x and y", "x or y", "not x", "-x", "abs(x)", "round(x)", "round(x, 1)", "x in [y, 3.0]", "x not in [y, 3.0]",
    "x < y < 2.0", "1.0 <= x != y",
)  # fmt: skip


def by_python(text: str, names: dict[str, Any]) -> Any:
    """Return what Python itself computes with what is known; what is not a finite real number is missing."""
    if text in ("x and y", "x or y"):
        # As in SQL and R: a missing part matters only where the other part does not decide.
        known = [value for value in names.values() if value is not None]
        decisive = [value for value in known if bool(value) is (text == "x or y")]
        return decisive[0] if decisive else None if len(known) < 2 else names["y"]
    if text.startswith(("x in", "x not in")) and names["x"] == 3.0:
        return text.startswith("x in")
    if text == "x < y < 2.0" and names["x"] is None and isinstance(names["y"], float) and names["y"] >= 2:
        return False
    if any(value is None and name in text for name, value in names.items()):
        return False if text == "1.0 <= x != y" and isinstance(names["x"], float | bool) and names["x"] < 1 else None
    try:
        value = eval(text, {"__builtins__": {"abs": abs, "round": round}}, names)
    except (TypeError, ZeroDivisionError, OverflowError):
        return None
    is_number = isinstance(value, int | float | complex)
    if is_number and (isinstance(value, complex) or not isfinite(value)):
        return None
    # Python repeats texts and fills them in like forms, which could fill the memory.
    return None if isinstance(value, str) and text in ("x * y", "x % y") else value


def in_a_table(text: str, names: dict[str, Any]) -> Any:
    """Return what a plan computes in a table of one row; None where it is missing or refused."""
    frame = pd.DataFrame({name: pd.Series([value], dtype=_dtype(value)) for name, value in names.items()})
    try:
        found = column_value(frame, text, "here").tolist()[0]
    except TableError:
        return None
    return None if pd.isna(found) else found


def _dtype(value: Any) -> str:
    return {bool: "bool", str: "str"}.get(type(value), "float")


@pytest.mark.parametrize("text", OPERATORS)
def test_every_operator_is_that_of_python_in_a_study_and_in_a_table(text: str) -> None:
    wrong = []
    for x, y in product(SAMPLES, repeat=2):
        names = {"x": x, "y": y}
        expected = by_python(text, names)
        holds = rule_from_text(text)(names)
        is_equal = expected is None or rule_from_text(f"({text}) == z")(names | {"z": expected})
        said = in_a_table(text, names)
        if holds != bool(expected) or not is_equal or said != expected:
            wrong.append((x, y, expected, holds, said))
    assert wrong == []


KNOWN = st.sampled_from([0.0, 1.0, 2.0, -3.0, 0.5]) | st.booleans()
JOINED = {
    1: ("not ({})", "-({})", "abs({})", "round({}, 1)", "missing({})"),
    2: (
        "({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / ({})", "({}) % ({})", "({}) // ({})", "({}) == ({})",
        "({}) != ({})", "({}) < ({})", "({}) >= ({})", "({}) and ({})", "({}) or ({})",
    ),
    3: ("({}) < ({}) <= ({})", "({}) in [{}, {}]", "({}) not in [{}, {}]", "({}) and ({}) and ({})"),
}  # fmt: skip
RULES = st.recursive(
    st.sampled_from(["a", "b", "c"]) | KNOWN.map(repr),
    lambda inner: st.one_of(
        *(st.builds(lambda form, *parts: form.format(*parts), st.sampled_from(forms), *[inner] * n)
          for n, forms in JOINED.items())
    ),
    max_leaves=8,
)  # fmt: skip


def checked(text: str) -> str | None:
    try:
        return TypeAdapter(Expression).validate_python(text)
    except ValidationError:
        return None


@settings(max_examples=300, derandomize=True, deadline=None)
@given(RULES, KNOWN, KNOWN, KNOWN)
def test_rules_of_several_operators_are_those_of_python(text: str, a: Any, b: Any, c: Any) -> None:
    names = {"a": a, "b": b, "c": c}
    try:
        expected = eval(text, {"__builtins__": {"abs": abs, "round": round, "missing": lambda _: False}}, names)
    except (TypeError, ZeroDivisionError):
        return
    if checked(text) is None:
        return  # A part without names divides by zero.
    assert rule_from_text(f"({text}) == z")(names | {"z": expected})
    assert in_a_table(text, names) == expected
    assert rule_from_text(text)(names) == bool(expected)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(RULES, st.lists(st.tuples(*[KNOWN | st.none()] * 3), min_size=2, max_size=6))
def test_one_session_and_whole_columns_agree_on_what_is_missing(text: str, rows: list[tuple[Any, ...]]) -> None:
    if checked(text) is None or not names_in(text):
        return
    sessions = [dict(zip("abc", row, strict=True)) for row in rows]
    frame = pd.DataFrame(sessions, columns=["a", "b", "c"], dtype=float)
    assert condition(frame, f"({text}) == 1", "here").tolist() == [
        rule_from_text(f"({text}) == 1")(session) for session in sessions
    ]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(RULES, KNOWN, KNOWN, KNOWN)
def test_what_a_rule_says_in_spite_of_a_missing_value_is_so_whatever_the_value(
    text: str, a: Any, b: Any, c: Any
) -> None:
    if checked(text) is None or "missing" in text:
        return
    for question in (f"({text}) == 1", f"({text}) == 0"):
        if rule_from_text(question)({"a": None, "b": b, "c": c}):
            known = rule_from_text(f"({question}) or missing({text})")
            assert known({"a": a, "b": b, "c": c})


def test_a_page_without_a_server_decides_as_python_does() -> None:
    # The page computes what stop rules may use: + - * /, abs and missing.
    texts = [text for text in OPERATORS if not any(sign in text for sign in ("//", "%", "**", "round"))]
    texts += ["(x == 1) + (y == 1) >= 1", "-(x == 1) < 0", "x * 2 > y", "x + y == x + y", "not (x < 1 and y == 1)"]
    names = [{"x": x, "y": y} for x, y in product([*SAMPLES, "3"], repeat=2)]
    trees = [tree_of_rule(text) for text in texts]
    said = json.loads(npm_run("rules", said=json.dumps({"trees": trees, "names": names})))
    assert said == [[rule_from_text(text)(values) for values in names] for text in texts]


def rules_of_ready_studies() -> dict[str, set[str]]:
    rules: dict[str, set[str]] = {}
    for name in ready_names():
        study = ready_study(name)
        plan = study.plan
        rules[name] = {exclusion.rule for exclusion in study.exclusions if exclusion.rule is not None}
        rules[name] |= {stop.rule for block in blocks_in(study.flow) for stop in block.stops}
        rules[name] |= {outcome.where for outcome in plan.outcomes if outcome.where is not None}
        rules[name] |= {hypothesis.where for hypothesis in plan.hypotheses if hypothesis.where is not None}
    return rules


def test_the_rules_of_the_ready_studies_choose_the_same_people_in_a_table() -> None:
    rules = rules_of_ready_studies()
    assert len(rules) >= 20
    for text in sorted(set().union(*rules.values())):
        texts = text.split("'")[1::2]
        values: tuple[Any, ...] = (
            (*texts, "other", None) if texts else (0.0, 0.5, 0.95, 1.0, 2.0, 29.9, 77.5, 599.0, None)
        )
        names = sorted(names_in(text))
        people = [dict(zip(names, chosen, strict=True)) for chosen in product(values, repeat=len(names))]
        frame = pd.DataFrame(people, dtype="str" if texts else "float")
        assert condition(frame, text, "here").tolist() == [rule_from_text(text)(person) for person in people], text


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
    "n_correct < 9**9**7": "computes 9 ** 9 ** 7, which has no value",
    "n < 1 / 0": "computes 1 / 0, which has no value",
    "n / 0 > 1": "computes n / 0, which has no value",
    "n // (2 - 2) > 1 or m == 1": "computes n // (2 - 2), which has no value",
    "not (n % false) == 1": "computes n % false, which has no value",
    "n < (-8) ** 0.5": "computes (-8) ** 0.5, which has no value",
    "n < 1e400": "has a number above 1.8e308",
    "n < " + "9" * 400: "has a number above 1.8e308",
    "n < 9007199254740993": "has the whole number 9007199254740993, which a rule cannot tell from its neighbours",
    "n == 'a' * 1000000000": "texts can only be joined with + and compared",
    "n * ('a' + 'b') == n": "texts can only be joined with + and compared",
    "'%9999999999d' % n == n": "texts can only be joined with + and compared",
    "n < 1 + 'a'": "does not mix numbers with texts",
    "n in [1] * n": "looks for something in what is not a list",
    "n == [1] * n": "computes with a list",
    "missing([n])": "computes with a list",
    "n" + " + 1" * 200: "nests 203 steps, but a rule may nest 100",
    "not " * 2000 + "n": "nests",
    "(" * 4000 + "n" + ")" * 4000: "is not a rule",
    "-" * 9999 + "1": "is not a rule",
    "n == '" + "a" * 20_000 + "'": "has 20,007 characters, but a rule may have 10,000",
}


@pytest.mark.parametrize("text", FORBIDDEN, ids=lambda text: text[:30])
def test_what_a_rule_may_not_say_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(Expression).validate_python(text)
    said = raised.value.errors()[0]["msg"]
    assert FORBIDDEN[text] in said
    assert len(said) < 1000


def test_names_leave_out_functions_and_truth() -> None:
    assert names_in("mean(x) > 2 and y == true and abs(z - x) in [1, w]") == {"x", "y", "z", "w"}


def test_functions_are_those_that_are_called() -> None:
    assert functions_in("mean(x) > 2 and abs(mean) < 1") == {"mean", "abs"}
