"""A table collected anywhere: derived, filtered, excluded and measured as the plan file says, or refused plainly."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.table_samples import plain, table_text, write_table
from understudy.errors import UnderstudyError
from understudy.estimate import Recovered, recovered_tables, table_from_file
from understudy.schema import Reanalysis, rule_from_text


def recovered(text: str | None = None, **changes: Any) -> Recovered:
    raw = pd.read_csv(StringIO(table_text() if text is None else text))
    return recovered_tables(Reanalysis.model_validate(plain(**changes)), raw)


def refusal(text: str | None = None, **changes: Any) -> str:
    with pytest.raises(UnderstudyError) as caught:
        recovered(text, **changes)
    return str(caught.value)


def test_the_flow_counts_who_leaves_where() -> None:
    flow = recovered().flow
    assert (flow.n_recruited, flow.n_analysed) == (6, 4)
    assert [(step.label, step.n_left, step.n_remaining) for step in flow.steps] == [
        ("main_part", 0, 6),
        ("too_fast", 1, 5),
        ("unfinished", 1, 4),
    ]


def test_a_filter_says_how_many_rows_it_took() -> None:
    assert recovered().flow.steps[0].reason == "Practice is left out (6 of 22 rows)"


def test_the_flow_counts_conditions() -> None:
    assert recovered().flow.steps[-1].by_condition == {"helped": 2, "plain": 2}


def background(seed: int, n: int = 80) -> pd.DataFrame:
    """Return one answer of each person, with a group and two background values that some do not give."""
    rng = np.random.default_rng(seed)
    draw = {"group": ["a", "b"], "gender": ["f", "m", "d", None], "age": ["young", "old", None]}
    return pd.DataFrame(
        {"who": [f"p{k}" for k in range(n)]}
        | {name: rng.choice(np.array(values, dtype=object), n) for name, values in draw.items()}
        | {"score": rng.normal(size=n)}
    )


@pytest.mark.parametrize("tested", [[], [("group", None)], [("gender", "group")], [("group", None), ("age", None)]])
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("rule", [None, "score > -0.5", "age == 'young'"])
def test_every_flow_adds_up_at_every_step_and_in_every_group(tested: list[Any], seed: int, rule: str | None) -> None:
    table = background(seed)
    factors = [
        {"name": name, "scope": "between", "levels": sorted(table[name].dropna().unique())}
        for name in ("group", "gender", "age")
    ]
    hypotheses = [
        {"hypothesis_id": f"h{k}", "claim": "They differ.", "outcome": "s", "factor": factor, "crossed_with": other,
         "analysis": "factorial_anova"}
        for k, (factor, other) in enumerate(tested)
    ]  # fmt: skip
    described = Reanalysis.model_validate(
        {
            "title": "Background", "table": {"participant": "who"}, "factors": factors,
            "keep": [] if rule is None else [{"label": "kept", "reason": "Chosen", "rule": rule}],
            "measures": [{"name": "score", "unit": "session", "scale": "continuous"}],
            "plan": {"outcomes": [{"name": "s", "measure": "score"}], "hypotheses": hypotheses},
        }
    )  # fmt: skip
    flow = recovered_tables(described, table).flow
    assert flow.n_recruited - sum(step.n_left for step in flow.steps) == flow.n_analysed
    for step in flow.steps:
        assert not step.by_condition or sum(step.by_condition.values()) == step.n_remaining
    assert not flow.by_condition or sum(flow.by_condition.values()) == flow.n_analysed
    assert {name: sum(sizes.values()) for name, sizes in flow.groups.items()} == dict.fromkeys(
        ("group", "gender", "age"), flow.n_analysed
    )
    # Only what the first hypothesis compares is a condition; background is counted, but not crossed.
    compared = [name for name in tested[0] if name] if tested else []
    assert all(cell.count("-") == len(compared) - 1 for cell in flow.by_condition)
    assert bool(flow.by_condition) == bool(compared)
    assert "no gender" in flow.groups["gender"]


def test_exclusions_apply_in_order() -> None:
    both = [
        {"exclusion_id": "first", "reason": "", "rule": "n_answers > 3"},
        {"exclusion_id": "second", "reason": "", "rule": "n_answers > 2 and fastest_ms > 100"},
    ]
    flow = recovered(exclusions=both, published=[]).flow
    assert [step.n_left for step in flow.steps[1:]] == [5, 0]


def test_trials_have_the_names_of_the_plan() -> None:
    trials = recovered().tables.trials
    assert {"participant", "item", "arm", "difficulty", "is_right", "rt_ms", "n_answers"} <= set(trials.columns)
    assert set(trials["arm"]) == {"helped", "plain"}


@pytest.mark.parametrize("ids", [("007", "7"), ("76561198000000001", "76561198000000002")])
def test_ids_that_are_close_as_numbers_stay_two_people(tmp_path: Path, ids: tuple[str, str]) -> None:
    text = re.sub(
        "^w([0-9])", lambda found: [*ids, "1", "2", "3", "4"][int(found[1])], table_text(), flags=re.MULTILINE
    )
    raw = table_from_file(write_table(tmp_path, text))
    assert set(ids) <= set(recovered_tables(Reanalysis.model_validate(plain()), raw).tables.trials["participant"])


@pytest.mark.parametrize("levels", [("01", "02"), ("True", "False"), ("1.0", "0.0")])
def test_levels_are_read_as_they_are_written(tmp_path: Path, levels: tuple[str, str]) -> None:
    text = re.sub(
        "^(w[0-9]),([01])", lambda found: f"{found[1]},{levels[int(found[2])]}", table_text(), flags=re.MULTILINE
    )
    factor = {"name": "arm", "scope": "between", "column": "group", "levels": list(levels)}
    plan = plain(factors=[factor, plain()["factors"][1]], published=[])
    raw = table_from_file(write_table(tmp_path, text))
    assert set(recovered_tables(Reanalysis.model_validate(plan), raw).tables.trials["arm"]) == set(levels)


def test_long_ids_of_a_parquet_file_stay_two_people() -> None:
    raw = pd.read_csv(StringIO(re.sub("^w(?=[0-9])", "7656119800000000", table_text(), flags=re.MULTILINE)))
    assert recovered_tables(Reanalysis.model_validate(plain()), raw).flow.n_recruited == 6


def answers(rows: list[tuple[str, float | None]], **parts: Any) -> Recovered:
    """Read answers of which some are missing."""
    plan: dict[str, Any] = {
        "title": "Answers",
        "table": {"participant": "worker"},
        "measures": [{"name": "is_right", "unit": "trial", "scale": "binary"}],
        "plan": {"outcomes": [{"name": "accuracy", "measure": "is_right"}]},
    }
    raw = pd.DataFrame(rows, columns=["worker", "answer"]).assign(key=1.0)
    return recovered_tables(Reanalysis.model_validate(plan | parts), raw)


THREE = [("a", 1.0), ("b", 0.0), ("c", None)]


@pytest.mark.parametrize("is_derived", [True, False])
@pytest.mark.parametrize(
    ("value", "n_known", "n_right"),
    [("answer == key", 2, 1), ("not (answer != key)", 2, 1), ("answer == key and not missing(answer)", 3, 1)],
)
def test_a_missing_answer_is_not_a_wrong_one_unless_the_rule_says_so(
    value: str, n_known: int, n_right: int, is_derived: bool
) -> None:
    measure = {"name": "is_right", "value": "right" if is_derived else value, "unit": "trial", "scale": "binary"}
    derive = [{"name": "right", "value": value}] if is_derived else []
    measured = answers(THREE, derive=derive, measures=[measure]).tables.trials["is_right"]
    assert (measured.count(), measured.sum()) == (n_known, n_right)


@pytest.mark.parametrize(
    ("value", "of_a", "of_b"),
    [("mean(right)", 0.5, None), ("count(right)", 1, None), ("sum(right)", 1, None), ("count(answer)", 2, 0)],
)
def test_a_summary_skips_missing_answers_and_says_how_many(value: str, of_a: float, of_b: float | None) -> None:
    derive = [{"name": "right", "value": "answer == key"}, {"name": "score", "value": value, "by": ["participant"]}]
    measure = {"name": "score", "unit": "session", "scale": "continuous"}
    rows = [("a", 1.0), ("a", 0.0), ("a", None), ("b", None)]
    plan = {"outcomes": [{"name": "score", "measure": "score"}]}
    found = answers(rows, derive=derive, measures=[measure], plan=plan)
    scores = found.tables.sessions["score"].tolist()
    assert [None if pd.isna(score) else score for score in scores] == [of_a, of_b]
    skips = f"Derived column 'score' ({value}) skips 2 of 4 rows, whose value is missing: they count neither as right nor as "
    assert [note.startswith(skips) for note in found.notes] == ([] if value == "count(answer)" else [True])


def test_a_filter_and_an_exclusion_say_for_how_many_a_value_is_missing() -> None:
    derive = [{"name": "right", "value": "answer == key"}]
    keep = [{"label": "not_right", "reason": "Wrong answers only", "rule": "not right"}]
    out = [{"exclusion_id": "wrong", "reason": "Was wrong", "rule": "answer != key"}]
    measures = [{"name": "is_right", "value": "right", "unit": "trial", "scale": "binary"}]
    kept = answers(THREE, derive=derive, keep=keep, measures=measures).flow
    assert kept.steps[0].reason == "Wrong answers only (2 of 3 rows, 1 of them because a value is missing)"
    excluded = answers(THREE, derive=derive, exclusions=out, measures=measures).flow
    assert excluded.steps[0].reason == "Was wrong (not decided for 1, who stay: a value is missing)"
    assert (excluded.n_recruited, excluded.n_analysed) == (3, 2)


@pytest.mark.parametrize(
    ("rule", "n_left"),
    [
        ("(a == 1) + (b == 1) + (c == 1) >= 2", 3),
        ("n_failed >= 2", 3),
        ("-(a == 1) - (b == 1) - (c == 1) <= -2", 3),
        ("(a == 1) * (b == 1) == 1", 2),
        ("not (a == 1) == (b == 1)", 1),
    ],
)
def test_conditions_are_added_up_as_in_a_study(rule: str, n_left: int) -> None:
    failed = [(1, 1, 0), (1, 0, 1), (1, 1, 1), (0, 0, 1), (0, 0, 0)]
    people = [dict(zip("abc", checks, strict=True), n_failed=sum(checks)) for checks in failed]
    assert sum(rule_from_text(rule)(person) for person in people) == n_left
    plan = {
        "title": "Three checks",
        "table": {"participant": "worker"},
        "derive": [{"name": "n_failed", "value": "(a == 1) + (b == 1) + (c == 1)"}],
        "exclusions": [{"exclusion_id": "inattentive", "reason": "Failed checks", "rule": rule}],
        "measures": [{"name": "a", "unit": "session", "scale": "binary"}],
        "plan": {"outcomes": [{"name": "a", "measure": "a"}]},
    }
    raw = pd.DataFrame(people).drop(columns="n_failed").assign(worker=list("vwxyz"))
    assert recovered_tables(Reanalysis.model_validate(plan), raw).flow.steps[0].n_left == n_left


def test_sessions_hold_what_is_constant_for_a_person() -> None:
    sessions = recovered().tables.sessions
    assert {"arm", "age", "n_answers"} <= set(sessions.columns)
    assert not {"is_right", "difficulty", "item"} & set(sessions.columns)


def test_repeated_rows_are_dropped_on_request_and_counted() -> None:
    text = table_text() + table_text().splitlines()[1] + "\n"
    table = plain()["table"] | {"drop_duplicate_rows": True}
    step = recovered(text, table=table).flow.steps[0]
    assert (step.label, step.reason) == ("drop_duplicate_rows", "Rows that repeat an earlier row (1 of 23 rows)")


def test_a_derived_column_can_be_a_factor() -> None:
    factors = [*plain()["factors"], {"name": "speed", "scope": "within", "column": "is_slow", "levels": ["0", "1"]}]
    derive = [*plain()["derive"], {"name": "is_slow", "value": "(rt_ms > 510) * 1"}]
    assert set(recovered(factors=factors, derive=derive).tables.trials["speed"]) == {"0", "1"}


SHORT = "worker,group,picture,level,part,right,Reaction time (ms),age\n"
FACTORS, MEASURES, DERIVE = plain()["factors"], plain()["measures"], plain()["derive"]
TABLE = plain()["table"]
UNSOUND: dict[str, tuple[dict[str, Any], str]] = {
    "participant column missing": ({"table": TABLE | {"participant": "id"}}, "The column of participants is 'id'"),
    "item column missing": ({"table": TABLE | {"item": "id"}}, "The column of items is 'id'"),
    "renamed column missing": ({"table": TABLE | {"columns": {"rt_ms": "RT"}}}, "is read from 'RT'"),
    "new name taken": ({"table": TABLE | {"columns": {"rt_ms": "age", "part": "age"}}}, "renamed to 'part'"),
    "factor column missing": ({"factors": [FACTORS[0] | {"column": "arms"}, FACTORS[1]]}, "is read from column 'arms'"),
    "factor name taken": ({"factors": [*FACTORS, FACTORS[0] | {"name": "part"}]}, "but a column has its name"),
    "factor twice": ({"factors": [*FACTORS, FACTORS[0]]}, "Factor 'arm' is declared 2 times."),
    "measure twice": ({"measures": [*MEASURES, MEASURES[0]]}, "Measure 'is_right' is declared 2 times."),
    "factor and measure": (
        {"measures": [*MEASURES, MEASURES[0] | {"name": "arm"}]},
        "'arm' is both a factor and a measure",
    ),
    "derived column exists": ({"derive": [*DERIVE, {"name": "age", "value": "right"}]}, "'age' exists already"),
    "derived from nothing": ({"derive": [*DERIVE, {"name": "a", "value": "speed + 1"}]}, "uses 'speed'"),
    "derived too early": ({"derive": [{"name": "a", "value": "n_answers"}, *DERIVE]}, "uses 'n_answers'"),
    "derived by nothing": (
        {"derive": [*DERIVE, {"name": "a", "value": "mean(right)", "by": ["x"]}]},
        "is grouped by 'x'",
    ),
    "summary without groups": ({"derive": [*DERIVE, {"name": "a", "value": "mean(right)"}]}, "Add `by`"),
    "groups without summary": (
        {"derive": [*DERIVE, {"name": "a", "value": "right", "by": ["participant"]}]},
        "summarises nothing",
    ),
    "filter on nothing": ({"keep": [{"label": "a", "reason": "", "rule": "speed > 1"}]}, "Filter 'a' uses 'speed'"),
    "filter with a summary": ({"keep": [{"label": "a", "reason": "", "rule": "mean(right) > 1"}]}, "calls mean()"),
    "measure of nothing": ({"measures": [*MEASURES, {"name": "a", "unit": "trial", "scale": "time"}]}, "uses 'a'"),
    "unsound plan": ({"plan": plain()["plan"] | {"outcomes": [{"name": "a", "measure": "b"}]}}, "takes measure 'b'"),
    "partial sessions of a table": (
        {"plan": plain()["plan"] | {"partial_sessions": "kept"}},
        "a table from elsewhere has no sessions that could end early",
    ),
    "figure of nothing": (
        {"published": [{"label": "f", "value": 1, "decimals": 0, "quantity": "mean"}]},
        "must point at exactly one",
    ),
    "figure of an unknown step": (
        {"published": [{"label": "f", "value": 1, "decimals": 0, "step": "a", "quantity": "n_left"}]},
        "points at step 'a', which is not declared",
    ),
    "figure of an unknown quantity": (
        {"published": [{"label": "f", "value": 1, "decimals": 0, "description": "by_arm", "quantity": "mode"}]},
        "asks for 'mode'",
    ),
    "values are no condition": ({"keep": [{"label": "a", "reason": "", "rule": "right"}]}, "is a value and not"),
    "nobody left": ({"keep": [{"label": "a", "reason": "", "rule": "right > 1"}]}, "leaves no row at all"),
    "unknown levels": (
        {"factors": [FACTORS[0], FACTORS[1] | {"levels": ["easy"]}]},
        "has values that are not levels: hard",
    ),
    "between factor varies": (
        {"factors": [FACTORS[0], FACTORS[1] | {"scope": "between"}]},
        "is declared between people, but 5 participants have several levels",
    ),
    "exclusion varies": (
        {"exclusions": [{"exclusion_id": "a", "reason": "", "rule": "right == 0"}], "published": []},
        "holds for some rows of a participant and not for others",
    ),
    "words for numbers": (
        {"measures": [*MEASURES, {"name": "level", "unit": "trial", "scale": "continuous"}]},
        "needs numbers, but holds 12 other values, such as 'hard' of participant 'w0'",
    ),
    "not yes or no": (
        {"measures": [*MEASURES, {"name": "rt_ms", "unit": "trial", "scale": "binary"}]},
        "is binary, but holds 510",
    ),
    "session measure varies": (
        {"measures": [*MEASURES, {"name": "rt_ms", "unit": "session", "scale": "time"}]},
        "is declared once per session, but differs",
    ),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_what_cannot_be_read_is_refused_in_one_sentence(case: str) -> None:
    changes, expected = UNSOUND[case]
    assert expected in refusal(**changes)


def test_all_faults_of_a_table_come_at_once() -> None:
    message = refusal(table=TABLE | {"participant": "id", "item": "thing"}, derive=[{"name": "a", "value": "b"}])
    assert {"'id'", "'thing'", "'b'"} <= {word.strip(",.") for word in message.split()}


def test_blank_participants_are_refused() -> None:
    text = table_text().replace("w0,", ",", 2)
    assert "'worker' tells participants apart, but is blank in 2 of 22 rows" in refusal(text)


def test_a_level_that_is_read_as_missing_is_refused() -> None:
    message = refusal(
        table_text().replace(",hard,", ",NA,"), factors=[FACTORS[0], FACTORS[1] | {"levels": ["easy", "NA"]}]
    )
    assert "has the level 'NA', but blank cells and cells with NA, NaN, nan are read as missing" in message


@pytest.mark.parametrize("value", ["inf", "-inf", "Infinity"])
def test_infinite_values_are_refused_and_not_taken_as_missing(value: str) -> None:
    text = table_text().replace(",21\n", f",{value}\n", 2)
    assert "Column 'age' holds 2 infinite values, such as of participant 'w1'." in refusal(text)


def test_infinite_values_of_a_column_that_the_plan_does_not_read_do_not_matter() -> None:
    text = table_text().replace("age\n", "age,weight\n").replace("20\n", "20,inf\n").replace("21\n", "21,1\n")
    assert recovered(text).flow.n_analysed == 4


@pytest.mark.parametrize("value", ["1e150", "-1e150"])
def test_values_too_large_to_be_squared_are_refused(value: str) -> None:
    text = table_text().replace(",21\n", f",{value}\n", 2)
    assert "Column 'age' has values of a size of 1e+150, which cannot be squared exactly." in refusal(text)


@pytest.mark.parametrize("name", ["class", "not", "True", "None", "rt.ms", "p-value"])
def test_a_measure_whose_column_a_rule_cannot_spell_is_refused(name: str) -> None:
    measures = [*plain()["measures"], {"name": name, "unit": "trial", "scale": "continuous"}]
    said = refusal(table_text().replace("age\n", f"{name}\n", 1), measures=measures)
    assert f"Measure {name!r} is read from the column of its name, which a rule cannot spell." in said


@pytest.mark.parametrize("name", ["value", "other", "item", "participant"])
def test_a_factor_may_not_have_the_name_of_a_column_of_analyses(name: str) -> None:
    factors = [*plain()["factors"], {"name": name, "scope": "between", "column": "group", "levels": ["a", "b"]}]
    assert f"Factor {name!r} has a name that analyses use themselves." in refusal(factors=factors)
