"""People who left early: what their answers count for, and which items are complete over a factor."""

import pandas as pd
import pytest

from tests.estimate.plan_samples import VARIABLES, outcome, sample_tables
from understudy.estimate.outcomes import outcome_rows
from understudy.schema import Summary

EARLY = "Of all 2 participants with 'accuracy', 1 left early and count with the answers they gave."
PAIRS = outcome(summary=None, complete_over="phase")
LACKING = "without an answer to the same item at every level of 'phase' (before, after)."


def answers(*rows: tuple[str, str, str, float | None]) -> pd.DataFrame:
    """Trials of people, items and phases, text as categories."""
    table = pd.DataFrame(rows, columns=["participant", "item", "phase", "correct"])
    table = table.assign(method="lime", help="with", kind="easy")
    texts = [name for name in table.columns if name != "correct"]
    return table.astype(dict.fromkeys(texts, "category") | {"correct": float})


TWO_PEOPLE = answers(
    ("a", "i1", "before", 0), ("a", "i2", "before", 1), ("a", "i1", "after", 1), ("a", "i2", "after", 1),
    ("b", "i1", "before", 0), ("b", "i2", "before", 1), ("b", "i2", "after", 0),
)  # fmt: skip


@pytest.mark.parametrize("summary", [None, "mean", "median", "first"])
def test_who_left_counts_where_a_part_can_stand_for_all(summary: Summary | None) -> None:
    found = outcome_rows(outcome(summary=summary), TWO_PEOPLE, VARIABLES, partial=frozenset({"b"}))
    assert (set(found.rows["participant"]), found.notes) == ({"a", "b"}, (EARLY,))


@pytest.mark.parametrize("summary", ["sum", "count", "min", "max", "last", "gain"])
def test_who_left_is_left_out_of_what_needs_all_answers(summary: Summary) -> None:
    found = outcome_rows(outcome(summary=summary), TWO_PEOPLE, VARIABLES, partial=frozenset({"b"}))
    assert set(found.rows["participant"]) == {"a"}
    assert "Left out: 1 of 2 participants without a finished session, which 'accuracy' needs." in found.notes


def test_measures_of_a_whole_session_are_of_those_who_finished() -> None:
    sessions = sample_tables().sessions
    found = outcome_rows(outcome("points", "total"), sessions, VARIABLES, partial=frozenset({"p00", "p03"}))
    assert len(found.rows) == 10
    assert found.notes == ("Left out: 2 of 12 participants without a finished session, which 'points' needs.",)


def test_only_items_of_every_level_are_complete() -> None:
    found = outcome_rows(PAIRS, TWO_PEOPLE, VARIABLES)
    kept = found.rows[["participant", "item", "phase"]].astype(str).itertuples(index=False, name=None)
    assert set(kept) == {
        ("a", "i1", "before"), ("a", "i1", "after"), ("a", "i2", "before"), ("a", "i2", "after"),
        ("b", "i2", "before"), ("b", "i2", "after"),
    }  # fmt: skip
    assert found.notes == (f"Left out: 1 of 7 answers {LACKING}",)


def test_both_means_of_a_person_rest_on_the_same_items() -> None:
    by_phase = outcome(by=("phase",), complete_over="phase")
    rows = outcome_rows(by_phase, TWO_PEOPLE, VARIABLES).rows
    mine = rows[rows["participant"] == "b"].set_index("phase")["value"]
    assert dict(mine) == {"before": 1.0, "after": 0.0}


def test_a_row_without_a_value_takes_its_partner_along_and_both_are_told() -> None:
    table = answers(
        ("a", "i1", "before", 1), ("a", "i1", "after", None), ("a", "i2", "before", 1), ("a", "i2", "after", 0)
    )
    found = outcome_rows(PAIRS, table, VARIABLES)
    assert set(found.rows["item"]) == {"i2"}
    assert found.notes == (f"Left out: 1 of 3 answers {LACKING}", "Left out: 1 of 3 rows without 'accuracy'.")


def test_a_rule_chooses_among_complete_items() -> None:
    later = outcome(summary=None, complete_over="phase", where="phase == 'after'")
    rows = outcome_rows(later, TWO_PEOPLE, VARIABLES).rows
    assert rows["value"].tolist() == [1.0, 1.0, 0.0]


def test_nobody_has_no_complete_items() -> None:
    found = outcome_rows(PAIRS, TWO_PEOPLE[:0], VARIABLES)
    assert (len(found.rows), found.notes) == (0, ())
