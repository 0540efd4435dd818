"""Outcomes: filtered, summarised to people or kept by trial, with their factors."""

import pandas as pd
import pytest

from tests.estimate.plan_samples import VARIABLES, hypothesis, outcome, sample_tables
from understudy.estimate.outcomes import hypothesis_rows, outcome_rows, plan_outcomes, trial_columns_of
from understudy.estimate.tables import StreamedTables, Tables
from understudy.estimate.variables import MeasureVariable, Variables, summarised_scale
from understudy.schema import AnalysisPlan, Outcome, Scale, Summary


def test_a_mean_has_one_row_per_participant() -> None:
    tables = sample_tables()
    rows = outcome_rows(outcome(), tables.trials, VARIABLES).rows.set_index("participant")["value"]
    expected = tables.trials.groupby("participant")["correct"].mean()
    assert dict(rows) == pytest.approx(dict(expected))


def test_by_keeps_levels_apart() -> None:
    rows = outcome_rows(outcome(by=("phase", "kind")), sample_tables().trials, VARIABLES).rows
    assert len(rows) == 12 * 2 * 2
    assert {"phase", "kind", "help", "method"} <= set(rows.columns)


def test_a_gain_is_the_last_less_the_first_in_each_level() -> None:
    tables = sample_tables()
    rows = outcome_rows(outcome("speed", "rt", summary="gain", by=("phase",)), tables.trials, VARIABLES).rows
    mine = tables.trials.query("participant == 'p00' and phase == 'before'")["rt"].tolist()
    half = (len(mine) - 1) // 2
    found = rows.query("participant == 'p00' and phase == 'before'")["value"].item()
    assert half > 0
    assert found == pytest.approx(sum(mine[-half:]) / half - sum(mine[:half]) / half)


def test_where_chooses_rows_before_the_summary() -> None:
    tables = sample_tables()
    rows = outcome_rows(outcome("time", "rt", where="kind == 'hard'", summary="max"), tables.trials, VARIABLES).rows
    hard = tables.trials[tables.trials["kind"] == "hard"]
    assert rows["value"].max() == hard["rt"].max()


def test_single_trials_carry_item_and_every_factor() -> None:
    rows = outcome_rows(outcome(summary=None), sample_tables().trials, VARIABLES).rows
    assert len(rows) == 96
    assert set(rows.columns) == {"participant", "item", "method", "help", "phase", "kind", "value"}


def test_nobody_vanishes_for_having_nothing_to_count() -> None:
    tables = sample_tables()
    never = tables.trials["participant"] == "p00"
    tables.trials.loc[never, "correct"] = 0.0
    rows = outcome_rows(outcome(where="correct == 1", summary="count"), tables.trials, VARIABLES).rows
    assert rows.set_index("participant")["value"]["p00"] == 0
    assert len(rows) == 12


def test_a_session_measure_comes_from_the_session_table() -> None:
    rows = outcome_rows(outcome("points", "total"), sample_tables().sessions, VARIABLES).rows
    assert rows["value"].tolist() == list(range(12))


def test_two_outcomes_of_people_meet_by_participant() -> None:
    tables = sample_tables()
    plan = AnalysisPlan(outcomes=(outcome(), outcome("points", "total")))
    outcomes = plan_outcomes(plan, tables, VARIABLES)
    rows = hypothesis_rows(hypothesis(other="points"), outcomes).rows
    assert rows["other"].tolist() == list(range(12))


def test_two_outcomes_of_trials_meet_trial_by_trial() -> None:
    tables = sample_tables()
    tables.trials.loc[0, "rt"] = None
    outcomes = {
        "accuracy": outcome_rows(outcome(summary=None), tables.trials, VARIABLES),
        "time": outcome_rows(outcome("time", "rt", summary=None), tables.trials, VARIABLES),
    }
    found = hypothesis_rows(hypothesis(other="time"), outcomes)
    expected = tables.trials.iloc[1:]
    pd.testing.assert_series_equal(found.rows["other"], expected["rt"].reset_index(drop=True), check_names=False)
    assert found.notes[-1] == "Left out: 1 of 96 rows without 'time'."


SUMMARISED_SCALES: dict[Scale, dict[Summary, Scale]] = {
    "binary": {"mean": "bounded", "sum": "count", "first": "binary"},
    "ordinal": {"mean": "ordinal", "median": "ordinal"},
    "count": {"mean": "continuous"},
    "time": {"median": "time"},
    "nominal": {"count": "count"},
}


@pytest.mark.parametrize("scale", SUMMARISED_SCALES)
def test_a_summary_changes_the_scale(scale: Scale) -> None:
    expected = SUMMARISED_SCALES[scale]
    assert {summary: summarised_scale(scale, summary) for summary in expected} == expected


def test_rows_of_other_blocks_are_not_missing_values() -> None:
    trials = pd.DataFrame(
        {"participant": ["a", "a", "b", "b"], "block": ["consent", "predict"] * 2, "correct": [None, 1.0, None, 0.0]}
    )
    variables = Variables({"correct": MeasureVariable("trial", "binary", "higher", ("predict",))})
    found = outcome_rows(Outcome(name="accuracy", measure="correct"), trials, variables)
    assert found.notes == ()
    assert list(found.rows["value"]) == [1.0, 0.0]


PLAN = AnalysisPlan(
    outcomes=(
        outcome(),
        outcome("hard", "rt", where="kind == 'hard'", by=("phase",), summary="max"),
        outcome("hits", where="correct == 1", summary="count"),
        outcome("single", summary=None),
    )
)


def in_parts(tables: Tables) -> StreamedTables:
    """Cut a table behind every fifth participant, each part with categories of its own."""
    number = tables.trials["participant"].astype("category").cat.codes // 5
    texts = tables.trials.select_dtypes(exclude="number").columns
    parts = [part.astype(dict.fromkeys(texts, "category")) for _, part in tables.trials.groupby(number)]
    unfilled = parts[0].iloc[:0].assign(kind=pd.Categorical([]))
    return StreamedTables(lambda: iter((*parts, unfilled)), tables.sessions)


def test_trials_in_parts_give_the_rows_and_the_losses_of_the_whole() -> None:
    tables = sample_tables()
    tables.trials.loc[[0, 50, 90], "correct"] = None
    whole, parts = (plan_outcomes(PLAN, one, VARIABLES) for one in (tables, in_parts(tables)))
    for name, expected in whole.items():
        pd.testing.assert_frame_equal(parts[name].rows, expected.rows, check_dtype=False, check_categorical=False)
        assert parts[name].notes == expected.notes
    assert whole["single"].notes == ("Left out: 3 of 96 rows without 'single'.",)


def test_a_plan_reads_the_columns_it_names_and_no_others() -> None:
    tables = sample_tables()
    needed = trial_columns_of(PLAN, VARIABLES)
    narrow = tables.trials[[name for name in tables.trials.columns if name in needed]]
    assert needed == {"participant", "block", "item", "method", "help", "phase", "kind", "correct", "rt"}
    found = plan_outcomes(PLAN, Tables(narrow, tables.sessions), VARIABLES)
    pd.testing.assert_frame_equal(found["hard"].rows, plan_outcomes(PLAN, tables, VARIABLES)["hard"].rows)
